// Icons as strokes on a field of 24 by 24.
const PATHS = {
    restart: 'M6 5v14M20 5 9 12l11 7z',
    play: 'M7 4.5 19.5 12 7 19.5z',
    pause: 'M8 5v14M16 5v14',
    step: 'M5 5l10 7-10 7zM19 5v14',
    orbit: 'M20 12a8 8 0 1 1-2.5-5.8M20 3.5v4h-4',
    push: 'M3 8c3-2 5 2 8 0M3 16c3-2 5 2 8 0M12 12h9M17 8l4 4-4 4',
    pull: 'M12 3v5M12 16v5M3 12h5M16 12h5M9.5 6 12 8.5 14.5 6M9.5 18l2.5-2.5 2.5 2.5M6 9.500 8.500 12 6 14.500M18 9.500 15.500 12l2.500 2.500',
    pour: 'M12 3c-4 5.500-6 8-6 11a6 6 0 0 0 12 0c0-3-2-5.500-6-11z',
    pick: 'M12 2v6M12 16v6M2 12h6M16 12h6M12 11.500v1',
    tilt: 'M3 17 21 9M12 13v3M9 21h6l-3-5z',
    record: 'M12 6a6 6 0 1 0 .01 0z',
    picture: 'M3 7h4l2-2.500h6L17 7h4v12H3zM12 9.500a3.500 3.500 0 1 0 .01 0z',
    link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
    theme: 'M12 4a8 8 0 1 0 .01 0zM12 4v16M12 8h5M12 12h7.500M12 16h5',
    fold: 'M4 6h16M4 12h16M4 18h16',
    help: 'M8.500 9a3.500 3.500 0 1 1 5 3.200c-1 .6-1.500 1-1.500 2.300M12 18v.5',
};
const SVG = 'http://www.w3.org/2000/svg';

export function icon(name) {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('class', 'icon');
    svg.setAttribute('aria-hidden', 'true');
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', PATHS[name] ?? PATHS.help);
    svg.append(path);
    return svg;
}

// Puts icons into elements that name one: <span data-icon="play">.
export function setIcon(node, name) {
    if (node.dataset.icon === name && node.firstChild) return;
    node.dataset.icon = name;
    node.replaceChildren(icon(name));
}
