
/* The details and replays of evaluations, packed by world: in the page itself, or in a folder beside it. In the folder each world
 * is a script that calls `receiveWorld`, because a page opened from a disk cannot read other files. It is loaded on demand. */

const { folder = null, stamp = null } = document.body.dataset;
const scriptAddress = (world) => `${folder}/${encodeURIComponent(world)}.js`;
const TRUST = folder && globalThis.trustedTypes ? trustedTypes.createPolicy(folder, { createScriptURL: scriptAddress }) : { createScriptURL: scriptAddress };
const ABSENT = `The details of evaluations are in the folder “${folder}”, which was written with this page and is not beside it. Keep the two together.`;
const FOREIGN = `The folder “${folder}” beside this page was written with another report. Keep this page with its own.`;

class MissingData extends Error {}

/* Call `load` once per key, and again only if it failed. */
function memoise(cache, key, load) {
  if (!cache.has(key)) cache.set(key, load().catch((fault) => { cache.delete(key); throw fault; }));
  return cache.get(key);
}

const [received, worldCache, partCache] = [new Map(), new Map(), new Map()];

/* Called by the scripts of worlds; those of another report are ignored. */
function receiveWorld(reportStamp, world, details, replay) {
  if (reportStamp === stamp) received.set(world, { details, replay });
}

function loadScript(world) {
  const script = el("script");
  script.src = TRUST.createScriptURL(world);
  return new Promise((resolve, reject) => {
    script.addEventListener("load", () => (received.has(world) ? resolve(received.get(world)) : reject(new MissingData(FOREIGN))));
    script.addEventListener("error", () => reject(new MissingData(ABSENT)));
    document.head.append(script);
  }).finally(() => script.remove());
}

async function readTemplates(world) {
  const [details, replay] = ["details", "replay"].map((kind) => $(`${kind}-${world}`)?.content.textContent.trim());
  return { details, replay };
}

async function inflate(world, kind) {
  const { [kind]: text } = await memoise(worldCache, world, () => (folder ? loadScript(world) : readTemplates(world)));
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

const worldPart = (world, kind) => memoise(partCache, `${kind} ${world}`, () => inflate(world, kind));

async function loadDetail(row) {
  const { calls, texts, columns } = await worldPart(row.world, "details");
  const detail = Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[row.position]]));
  return {
    ...detail,
    ...detail.judged,
    steps: detail.steps.map(([turn, call, status, charged]) => [turn, calls[call][0], calls[call][1], status, charged]),
    answers: detail.steps.map(([, call, status]) => (status === "executed" ? calls[call][2] : null)),
    texts: detail.texts.map(([turn, text]) => [turn, texts[text]]),
  };
}

async function loadReplay(row) {
  return INDEX.missing === null ? worldPart(row.world, "replay") : null;
}
