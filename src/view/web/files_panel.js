// Checkpoints and scenes in the output folder, videos, links.
import {bytes, el} from './dom.js';

export class FilesPanel {
    constructor(app) {
        this.app = app;
        this.name = el('input', {type: 'text', value: 'moment', id: 'save-name', spellcheck: false});
        this.replace = el('input', {type: 'checkbox'});
        this.list = el('ul.files');
        this.folder = el('p.help');
        this.form = el('div', {}, el('div.row', {}, el('label', {htmlFor: 'save-name'}, 'Name'), this.name,
            el('label', {title: 'Overwrite an existing file of this name'}, this.replace, 'replace')),
            el('div.choices', {}, el('button', {onclick: () => this.save('checkpoint')}, 'Save a checkpoint'),
                el('button', {onclick: () => this.save('scene')}, 'Save the scene')));
        this.node = el('div', {}, el('h2', {}, 'Save'), this.folder, this.form,
            el('div.split', {}, el('h2', {}, 'Files'), el('button.small', {onclick: () => this.refresh()}, 'Refresh')), this.list,
            el('h2', {}, 'In the browser'),
            el('p.help', {}, 'Record makes a video, Picture a PNG. Link copies an address that restores the scene, '
                + 'changed values, look and camera. All stay on this machine.'),
            el('div.choices', {}, el('button', {onclick: () => app.record()}, 'Record / stop'),
                el('button', {onclick: () => app.savePicture()}, 'Picture'), el('button', {onclick: () => app.share()}, 'Link')));
    }

    hello({folder}) {
        this.folder.textContent = folder ? `To the folder ${folder} on the machine that runs the simulation.`
            : 'The server has no output folder, so nothing can be saved.';
        for (const control of this.form.querySelectorAll('button, input')) control.disabled = !folder;
        this.saving = null;
        if (folder) this.refresh();
    }

    // Saving failed.
    refused() {
        this.saving = null;
    }

    refresh() {
        this.app.server.send({type: 'list'});
    }

    save(kind) {
        const name = this.name.value.trim();
        if (!name) return this.app.say('Enter a name.', true);
        if (!this.app.mayWork()) return undefined;
        this.saving = name;
        return this.app.server.send({type: 'save', name, kind, replace: this.replace.checked});
    }

    files({files}) {
        if (this.saving) this.app.say(`Saved ${this.saving}.`);
        this.saving = null;
        this.list.replaceChildren(...(files?.length ? files.map((file) => el('li', {},
            el('span', {}, file.name, el('small', {}, ` ${file.kind}, ${bytes(file.bytes)}`)),
            el('button.small', {onclick: () => this.app.mayWork() && this.app.server.send({type: 'load', name: file.name}),
                'aria-label': `Load ${file.name}`}, 'Load'))) : [el('li', {}, 'No files yet.')]));
    }
}
