// A video of the canvas, encoded by the browser.
import {download} from './dom.js';

const KINDS = ['video/mp4;codecs=avc1.42E01E', 'video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];

export class VideoRecorder {
    constructor(canvas) {
        this.canvas = canvas;
        this.recorder = null;
    }

    static can() {
        return typeof MediaRecorder !== 'undefined' && 'captureStream' in HTMLCanvasElement.prototype;
    }

    get isOn() {
        return this.recorder !== null;
    }

    // done(bytes) when the file is there.
    start(name, done) {
        const kind = KINDS.find((k) => MediaRecorder.isTypeSupported(k));
        const stream = this.canvas.captureStream(30);
        const parts = [];
        this.recorder = new MediaRecorder(stream, {mimeType: kind, videoBitsPerSecond: 12e6});
        this.recorder.ondataavailable = ({data}) => data.size && parts.push(data);
        this.recorder.onstop = () => {
            for (const track of stream.getTracks()) track.stop();
            const blob = new Blob(parts, {type: kind});
            download(blob, `${name}.${kind.includes('mp4') ? 'mp4' : 'webm'}`);
            done(blob.size);
        };
        this.recorder.start(1000);
    }

    stop() {
        this.recorder?.stop();
        this.recorder = null;
    }
}
