// The wave of a sound, drawn from the file of the item. Where the browser cannot decode it, the player stays alone.

const MAX_SECONDS = 300; // of a longer sound, the decoded values would take hundreds of megabytes
const MAX_BYTES = 32_000_000;
const BARS = 160;
const RATE = 8000; // Hz: enough for an outline
const LOWEST = 0.03; // height of silence
const NAMESPACE = "http://www.w3.org/2000/svg";

/** Return a picture that the wave of a player is drawn into; a click in it chooses the place to play. */
export function makeWave(sound) {
  const wave = makePart("svg", { class: "wave", viewBox: `0 0 ${BARS} 2`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const played = makePart("path", { class: "played" });
  wave.append(makePart("path"), played);
  const show = () => (played.style.clipPath = `inset(0 ${100 - (100 * sound.currentTime) / sound.duration}% 0 0)`);
  wave.addEventListener("click", ({ offsetX }) => (sound.currentTime = (sound.duration * offsetX) / wave.clientWidth));
  for (const name of ["timeupdate", "seeked"]) sound.addEventListener(name, show);
  sound.addEventListener("loadedmetadata", () => {
    draw(wave, sound).then(show).catch(() => wave.remove());
  });
  sound.addEventListener("error", () => wave.remove());
  return wave;
}

async function draw(wave, sound) {
  const isOwn = new URL(sound.src).origin === location.origin; // the page reads no file of another host
  if (!isOwn || !(sound.duration <= MAX_SECONDS)) throw new Error("This sound is played without its wave.");
  const bars = measure(await decode(sound.src));
  const outline = bars.map((height, k) => `M${k} ${1 - height}h.6v${2 * height}h-.6z`).join("");
  for (const path of wave.children) path.setAttribute("d", outline);
}

async function decode(source) {
  const response = await fetch(source);
  if (!response.ok || Number(response.headers.get("Content-Length")) > MAX_BYTES) {
    await response.body?.cancel();
    throw new Error("This sound is played without its wave.");
  }
  return new OfflineAudioContext(1, 1, RATE).decodeAudioData(await response.arrayBuffer());
}

/** Return the height of each bar: the largest value of its part of the sound, relative to the largest of all. */
function measure(decoded) {
  const channels = Array.from({ length: decoded.numberOfChannels }, (_, k) => decoded.getChannelData(k));
  const peaks = new Array(BARS).fill(0);
  for (const values of channels) {
    for (let i = 0; i < values.length; i += 1) {
      const bar = Math.floor((i * BARS) / values.length);
      peaks[bar] = Math.max(peaks[bar], Math.abs(values[i]));
    }
  }
  const highest = Math.max(...peaks) || 1;
  return peaks.map((peak) => Math.max(LOWEST, peak / highest));
}

function makePart(name, attributes = {}) {
  const part = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
  return part;
}
