// Of every text that is shown: its contrast with what is behind it, and its first characters.
() => {
  // A canvas knows all notations of colours.
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((value) => value / 255);
  };
  const luminance = (colour) => {
    const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgba(colour).map(linear);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => getComputedStyle(element).backgroundColor;
  const behind = (element) => {
    while (element !== document.body && rgba(background(element))[3] < 1) element = element.parentElement;
    return background(element);
  };
  const ink = (element) => {
    const style = getComputedStyle(element);
    return element.closest("svg") ? style.fill : style.color;
  };

  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const text = texts.currentNode.data.trim();
    if (!text || !element.checkVisibility()) continue;
    const [dark, light] = [luminance(ink(element)), luminance(behind(element))].sort((a, b) => a - b);
    found.push([(light + 0.05) / (dark + 0.05), text.slice(0, 40)]);
  }
  return found;
}
