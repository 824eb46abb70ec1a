// Small drawings, so that nothing depends on which emoji a machine has.

const SVG = "http://www.w3.org/2000/svg";
const PATHS = {
  attach: "M20 11.5 12 19.5a5 5 0 0 1-7-7l8.5-8.5a3.4 3.4 0 0 1 4.8 4.8l-8.5 8.5a1.7 1.7 0 0 1-2.4-2.4l7.6-7.6",
  audio: "M12 3a3 3 0 0 0-3 3v6a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3",
  close: "M6 6 18 18M18 6 6 18",
  dots: "M5 12h.01M12 12h.01M19 12h.01",
  traffic: "M4 8h14m0 0-4-4m4 4-4 4M20 16H6m0 0 4-4m-4 4 4 4",
  trace: "M5 5v14h14M9 15l3-5 3 3 4-7",
  faults: "M13 3 5 14h6l-1 7 8-11h-6z",
  thread: "M4 5h16v11H9l-5 4z",
  back: "M19 12H5m0 0 6-6m-6 6 6 6",
};

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return svg;
}
