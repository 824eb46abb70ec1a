// Where in a list somebody reads, and how they stay there when the room for it changes: a drawer
// opens, a thread comes beside it, a keyboard goes up.

const NEAR = 80; // pixels from the end that still count as reading the newest

export class Reading {
  constructor(list) {
    this.list = list;
    this.atEnd = true;
    this.line = null; // the first item in sight, and where it begins
    list.addEventListener("scroll", () => this.note());
    new ResizeObserver(() => this.stay()).observe(list);
  }

  isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.list;
    return scrollHeight - scrollTop - clientHeight < NEAR;
  }

  note() {
    if (!this.list.clientHeight) return;
    const edge = this.list.getBoundingClientRect().top;
    const item = [...this.list.children].find((each) => each.getBoundingClientRect().bottom > edge);
    this.atEnd = this.isAtEnd();
    this.line = item && { item, top: item.getBoundingClientRect().top - edge };
  }

  stay() {
    if (!this.list.clientHeight) return;
    if (this.atEnd) this.toEnd();
    else if (this.line?.item.isConnected) this.show(this.line.item, this.line.top);
  }

  toEnd() {
    this.list.scrollTop = this.list.scrollHeight;
    this.note();
  }

  // Shows the list from this item on where the rest is longer than the list, else its end.
  from(item) {
    this.toEnd();
    if (item.getBoundingClientRect().top < this.list.getBoundingClientRect().top) this.show(item, 0);
  }

  show(item, top) {
    const edge = this.list.getBoundingClientRect().top;
    this.list.scrollTop += item.getBoundingClientRect().top - edge - top;
    this.note();
  }
}
