// What was typed or chosen and not sent yet, by place. The words outlive a reload of the page.

const files = new Map(); // place → { file, clip }

export const drafts = {
  text: (place) => sessionStorage.getItem(`draft ${place}`) || "",
  keep(place, text) {
    if (text) sessionStorage.setItem(`draft ${place}`, text);
    else sessionStorage.removeItem(`draft ${place}`);
  },
  file: (place) => files.get(place) || null,
  keepFile(place, chosen) {
    if (chosen) files.set(place, chosen);
    else files.delete(place);
  },
};
