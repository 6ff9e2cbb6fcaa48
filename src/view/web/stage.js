// The picture: holds what is drawn and draws it, at the resolution that this machine can draw in time.
import {FORMAT, Frame, readMeshes} from './frame.js';
import {Camera} from './camera.js';
import {Cells} from './cells.js';
import {Finish} from './finish.js';
import {openGl, texture} from './gl.js';
import {LOOKS} from './looks/table.js';
import {Overlay} from './overlay.js';
import {SHADES, shades} from './colors.js';
import {Shadow, THEMES} from './light.js';
import {Spread} from './spread.js';
import {Walls} from './walls.js';
import {length, sub} from './vector.js';

const SLOW = 60;          // ms between pictures: above, fewer pixels
const FAST = 22;          // ms: below, more
const FEWEST = 0.45;      // pixels of the picture per pixel of the page
const MOST = 2;           // of a graphics card: more than the screen has are averaged
const STILL = 350;        // ms without a change until the picture is drawn at full resolution

export class Stage {
    constructor(canvas) {
        this.canvas = canvas;
        this.gl = openGl(canvas);
        if (!this.gl) return;
        this.camera = new Camera();
        this.frame = new Frame();
        this.spread = new Spread();
        this.color = 'density'; // attribute that colours show, unless the look has its own
        this.part = null;       // that attribute in the frame
        this.walls = 'solid';
        this.theme = THEMES.dark;
        this.isDark = true;
        this.size = 1;
        this.screen = Math.min(window.devicePixelRatio || 1, MOST);
        this.best = this.gl.isSoftware ? this.screen : MOST;
        this.sharp = this.gl.isSoftware ? 0.65 * this.screen : this.screen;
        this.isStill = false;   // the picture shown has full resolution
        this.isFine = false;    // the picture being drawn may take longer
        this.isSteady = false;  // the size must not change: a video is being made
        this.slow = this.fast = 0;
        this.width = this.height = 0;
        this.arrows = {velocity: false, acceleration: false};
        this.hasCells = false;
        this.dirty = true;
        this.open();
        canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
        canvas.addEventListener('webglcontextrestored', () => {
            this.open();
            if (this.scene) this.setScene(this.scene);
            if (this.meshes) this.wallParts.setMeshes(this.meshes);
            if (this.frame.buffer) this.upload(this.frame.buffer);
        });
    }

    open() {
        const {gl} = this;
        this.empty = gl.createVertexArray();
        this.pointArray = gl.createVertexArray();
        this.particles = gl.createBuffer();
        this.capacity = 0;
        this.shadow = new Shadow(gl);
        this.wallParts = new Walls(gl);
        this.overlay = new Overlay(gl);
        this.finish = new Finish(gl);
        this.cells = null; // made when first needed
        this.shades = texture(gl, SHADES, 1, [gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE], gl.LINEAR);
        this.shown = '';
        this.shadowOf = this.shadowScene = undefined;
        this.opened = new Set();
        this.width = this.height = 0;
        this.setLook(this.look?.name ?? LOOKS[0].name);
    }

    // A look that this browser cannot draw is refused with a sentence.
    setLook(name) {
        const next = LOOKS.find((look) => look.name === name);
        if (!next) return `there is no look called ${name}`;
        try {
            if (!this.opened.has(name)) next.open(this.gl);
        } catch (error) {
            return `${next.title} cannot be drawn here: ${error.message}`;
        }
        this.opened.add(name);
        this.look = next;
        if (this.frame.buffer && this.particles) this.findPart();
        this.dirty = true;
        if (this.width) next.resize(this);
        return null;
    }

    setTheme(name) {
        this.theme = THEMES[name];
        this.isDark = name === 'dark';
        this.dirty = true;
    }

    setScene(scene) {
        this.scene = scene;
        this.size = length(sub(scene.high, scene.low));
        this.wallParts.frame(scene);
        this.shadow.frame(scene);
        // Flat scenes have no shadows: the map is left empty.
        if (scene.dim === 2) this.shadow.draw({count: 0}, () => {}, () => {});
        this.dirty = true;
    }

    // The bytes of a frame, unchanged.
    upload(buffer) {
        const {gl} = this;
        gl.bindBuffer(gl.ARRAY_BUFFER, this.particles);
        if (buffer.byteLength > this.capacity) {
            this.capacity = Math.ceil(buffer.byteLength * 1.25);
            gl.bufferData(gl.ARRAY_BUFFER, this.capacity, gl.STREAM_DRAW);
        }
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, buffer);
        this.findPart();
    }

    // The attribute that colours show; one that the frame has already shows at once.
    findPart() {
        const {gl} = this;
        const part = this.frame.get(this.look.attribute ?? this.color);
        this.dirty = true;
        if (!part && this.frame.buffer && this.part && this.frame.get(this.part.name)) return; // until it comes
        this.part = part;
        this.spread.take(this.frame, part, performance.now(), this.scene?.fluids?.length);
        const name = part?.name ?? 'none';
        const fluids = this.scene?.fluids ?? [];
        const shown = name === 'fluid' ? JSON.stringify(fluids) : name;
        if (shown === this.shown) return;
        this.shown = shown;
        gl.bindTexture(gl.TEXTURE_2D, this.shades);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, SHADES, 1, gl.RGBA, gl.UNSIGNED_BYTE, shades(name, fluids));
    }

    setColor(name) {
        this.color = name;
        this.findPart();
    }

    setMeshes(buffer) {
        this.meshes = readMeshes(buffer);
        this.wallParts.setMeshes(this.meshes);
        this.shadowScene = undefined;
        this.dirty = true;
    }

    forget() {
        this.frame.count = 0;
        this.frame.buffer = null;
        this.part = null;
        this.spread.forget();
        this.dirty = true;
    }

    setPoints(at, swell = 1) {
        const {gl, frame, camera} = this;
        gl.uniform3fv(at.low, frame.low);
        gl.uniform3fv(at.extent, frame.extent);
        gl.uniformMatrix4fv(at.view, false, camera.view);
        gl.uniformMatrix4fv(at.proj, false, camera.proj);
        gl.uniform1f(at.radius, frame.radius * swell);
        gl.uniform1f(at.pixels, this.pixels);
    }

    drawPoints() {
        const {gl, frame, part} = this;
        gl.bindVertexArray(this.pointArray);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.particles);
        gl.enableVertexAttribArray(0);
        gl.vertexAttribPointer(0, 3, gl.UNSIGNED_SHORT, true, 6, frame.positionAt);
        if (part) {
            const isWhole = part.format === FORMAT.u32;
            gl.enableVertexAttribArray(1);
            gl.vertexAttribPointer(1, 1, isWhole ? gl.UNSIGNED_INT : gl.UNSIGNED_BYTE, !isWhole, isWhole ? 4 : 1, part.at);
        } else {
            gl.disableVertexAttribArray(1);
            gl.vertexAttrib1f(1, 0.5);
        }
        gl.drawArrays(gl.POINTS, 0, frame.count);
    }

    drawScene() {
        this.wallParts.drawOpaque(this);
    }

    // Even sizes, as video formats need them.
    resize(sharp) {
        const width = Math.max(2, 2 * Math.round((this.canvas.clientWidth * sharp) / 2));
        const height = Math.max(2, 2 * Math.round((this.canvas.clientHeight * sharp) / 2));
        if (width === this.width && height === this.height) return;
        this.canvas.width = this.width = width;
        this.canvas.height = this.height = height;
        this.camera.resize(width, height);
        this.finish.resize(width, height);
        this.look.resize(this);
        this.dirty = true;
    }

    // ms since the last picture, when nothing but drawing took them.
    pace(ms) {
        if (this.isSteady) return;
        const slow = this.sharp > this.screen ? FAST : SLOW; // extra pixels must not slow the picture
        this.slow = ms > slow ? this.slow + 1 : 0;
        this.fast = ms < FAST ? this.fast + 1 : 0;
        const isFar = ms > 4 * SLOW && this.slow >= 2;
        if ((this.slow >= 5 || isFar) && this.sharp > FEWEST) {
            this.ceiling = this.sharp * 0.95;
            this.ceilingUntil = performance.now() + 20000;
            this.sharp = Math.max(this.sharp * (isFar ? 0.6 : 0.82), FEWEST);
            this.slow = 0;
        } else if (this.fast >= 60 && this.sharp < this.best) {
            const most = performance.now() < this.ceilingUntil ? this.ceiling : this.best;
            this.sharp = Math.min(this.sharp * 1.15, most);
            this.fast = 0;
        }
    }

    // Draws when something has changed, and once more at full resolution when nothing changes any more; whether the former.
    draw(extra) {
        const {gl, camera} = this;
        if (!this.scene || gl.isContextLost()) return false;
        const now = performance.now();
        if (this.dirty || camera.dirty) {
            this.resize(this.sharp);
            this.drawPicture(extra);
            this.changed = now;
            this.isStill = false;
            return true;
        }
        if (this.isStill) {
            if (this.canvas.clientWidth === this.shownWidth && this.canvas.clientHeight === this.shownHeight) return false;
            this.dirty = true; // the window has another size
            return false;
        }
        if (now - this.changed < STILL || this.isSteady) return false;
        this.resize(Math.max(this.sharp, this.screen));
        this.drawFinely(extra);
        this.isStill = true;
        return false;
    }

    // For a file: at least twice as fine as the screen's page.
    drawFine(extra) {
        this.resize(this.isSteady ? this.sharp : Math.max(this.sharp, 2));
        this.drawFinely(extra);
        this.dirty = true;
    }

    drawFinely(extra) {
        this.isFine = true;
        this.drawPicture(extra);
        this.isFine = false;
    }

    // Drawn again when particles or walls have changed; without a graphics card for every other frame.
    drawShadow() {
        const {frame} = this;
        const hasOtherWalls = this.shadowWalls !== this.walls || this.shadowScene !== this.scene;
        const isOld = this.shadowOf !== frame.buffer;
        if (this.scene.dim === 2 || !(isOld || hasOtherWalls)) return;
        this.isSkipped = this.gl.isSoftware && !hasOtherWalls && !this.isSkipped;
        if (this.isSkipped) return;
        this.shadowOf = frame.buffer;
        this.shadowWalls = this.walls;
        this.shadowScene = this.scene;
        this.shadow.draw(frame, () => this.drawPoints(), (at) => {
            if (this.walls === 'solid') this.wallParts.drawPart('opaque', 'triangles', at, frame.poses);
        });
    }

    drawPicture(extra) {
        const {gl, camera} = this;
        if (camera.dirty) camera.update();
        this.dirty = false;
        this.shownWidth = this.canvas.clientWidth;
        this.shownHeight = this.canvas.clientHeight;
        this.pixels = (this.height / 2) * camera.proj[5];
        this.drawShadow();
        this.look.draw(this);
        this.wallParts.drawGlass(this);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        if (this.hasCells) {
            this.cells ??= new Cells(gl);
            this.cells.draw(this, this.isDark ? [0.85, 0.55, 1, 0.30] : [0.45, 0.1, 0.6, 0.30]);
        }
        if (this.arrows.velocity)
            this.overlay.drawArrows(this, this.frame.get('velocity'), this.isDark ? [0.35, 1, 0.6, 0.85] : [0, 0.4, 0.18, 0.85]);
        if (this.arrows.acceleration)
            this.overlay.drawArrows(this, this.frame.get('acceleration'), this.isDark ? [1, 0.45, 0.5, 0.8] : [0.75, 0.05, 0.1, 0.8]);
        gl.disable(gl.DEPTH_TEST);
        if (extra.picked) this.overlay.drawPicked(this, extra.picked);
        if (extra.gravity) this.overlay.drawGravity(this, extra.gravity);
        if (extra.hand) this.overlay.drawHand(this, extra.hand);
        gl.disable(gl.BLEND);
        this.finish.draw(this);
    }
}

