// The WebSocket: sends messages, receives messages and frames, and reconnects by itself.
const FIRST_WAIT = 400;
const LONGEST_WAIT = 8000; // ms

export class Server extends EventTarget {
    constructor() {
        super();
        this.wait = FIRST_WAIT;
        this.isOpen = false;
    }

    address() {
        const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
        return `${scheme}://${location.host}/ws${location.search}`;
    }

    open() {
        clearTimeout(this.timer);
        this.socket = new WebSocket(this.address(), 'runnel-2');
        this.socket.binaryType = 'arraybuffer';
        this.socket.onmessage = ({data}) => this.take(data);
        this.socket.onopen = () => {
            this.isOpen = true;
            this.wait = FIRST_WAIT;
            this.tell('open');
        };
        this.socket.onclose = (event) => {
            this.isOpen = false;
            const seconds = this.wait / 1000;
            this.timer = setTimeout(() => this.open(), this.wait);
            this.wait = Math.min(this.wait * 1.7, LONGEST_WAIT);
            this.tell('gone', {seconds, reason: event.reason});
        };
    }

    now() {
        this.wait = FIRST_WAIT;
        this.open();
    }

    take(data) {
        if (typeof data !== 'string') {
            this.onbinary?.(data);
            return;
        }
        let message;
        try {
            message = JSON.parse(data);
        } catch {
            return; // messages that are not understood are ignored
        }
        if (message && typeof message.type === 'string') this.tell(message.type, message);
    }

    tell(type, detail) {
        this.dispatchEvent(new CustomEvent(type, {detail}));
    }

    on(type, take) {
        this.addEventListener(type, (event) => take(event.detail));
    }

    send(message) {
        if (this.isOpen && this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    }
}
