
/* What is known of single evaluations, packed world by world: in the page itself, or in a folder beside it. There a world is a
 * script that hands over what it holds, since a page from a disk may read no file; it is loaded when it is asked for. */

const { folder = null, stamp = null } = document.body.dataset;
const scriptAddress = (world) => `${folder}/${encodeURIComponent(world)}.js`;
const TRUST = folder && globalThis.trustedTypes ? trustedTypes.createPolicy(folder, { createScriptURL: scriptAddress }) : { createScriptURL: scriptAddress };
const ABSENT = `What is known of single evaluations lies in the folder “${folder}”, which was written with this page and is not beside it. Keep the two together.`;
const FOREIGN = `The folder “${folder}” beside this page was written with another report. Keep this page with its own.`;

class Unshelved extends Error {}

/* What is made once for a key, and again only if that failed. */
function once(kept, key, make) {
  if (!kept.has(key)) kept.set(key, make().catch((fault) => { kept.delete(key); throw fault; }));
  return kept.get(key);
}

const [handed, shelf, inflated] = [new Map(), new Map(), new Map()];

/* What the scripts call; those of another report are left aside. */
function hand(mark, world, details, scene) {
  if (mark === stamp) handed.set(world, { details, scene });
}

function loaded(world) {
  const script = el("script");
  script.src = TRUST.createScriptURL(world);
  return new Promise((arrived, failed) => {
    script.addEventListener("load", () => (handed.has(world) ? arrived(handed.get(world)) : failed(new Unshelved(FOREIGN))));
    script.addEventListener("error", () => failed(new Unshelved(ABSENT)));
    document.head.append(script);
  }).finally(() => script.remove());
}

async function held(world) {
  const [details, scene] = ["details", "scene"].map((kind) => $(`${kind}-${world}`)?.content.textContent.trim());
  return { details, scene };
}

async function inflate(world, kind) {
  const { [kind]: text } = await once(shelf, world, () => (folder ? loaded(world) : held(world)));
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

const inflatedOnce = (world, kind) => once(inflated, `${kind} ${world}`, () => inflate(world, kind));

async function detailOf(row) {
  const { calls, texts, columns } = await inflatedOnce(row.world, "details");
  const kept = Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[row.place]]));
  return {
    ...kept,
    ...kept.judged,
    steps: kept.steps.map(([turn, call, status, charged]) => [turn, calls[call][0], calls[call][1], status, charged]),
    answers: kept.steps.map(([, call, status]) => (status === "executed" ? calls[call][2] : null)),
    texts: kept.texts.map(([turn, text]) => [turn, texts[text]]),
  };
}

async function sceneOf(row) {
  return INDEX.missing === null ? inflatedOnce(row.world, "scene") : null;
}
