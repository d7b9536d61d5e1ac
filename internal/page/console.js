
// The console of the demo: it lists the tools, makes a form of a tool's input schema, sends the call to /mcp and shows
// what came back. Whatever a server sends is put into the page as text, never as markup.

const at = (id) => document.getElementById(id);
const tools = new Map(); // by name, as tools/list gives them
let fields = []; // of the tool that is chosen
let lastID = 0;
let busy = false;
const totals = { calls: 0, text: 0, structured: 0 };

// make returns an element with properties and children.
function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

const bytesOf = (text) => new TextEncoder().encode(text).length;
const bytes = (count) => `${count.toLocaleString("en")} bytes`;

// Numbers keep the spelling in which they came, where the browser can: 1.0 is not 1, and long ones are not rounded.
const exact = (key, value, context) =>
  typeof value === "number" && JSON.rawJSON && context?.source && String(value) !== context.source ? JSON.rawJSON(context.source) : value;

// send makes one request of the protocol. It returns the result, or throws an Error for people with the body that came.
async function send(method, params) {
  let response, body;
  try {
    response = await fetch("/mcp", {
      method: "POST",
      headers: { Authorization: `Bearer ${at("token").value.trim()}`, "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++lastID, method, params }),
    });
    body = await response.text();
  } catch {
    throw new Error("The server does not answer. Is the demo still running?");
  }
  let message;
  try {
    message = JSON.parse(body, exact);
  } catch {
    throw Object.assign(new Error(`The server answered ${response.status} with something that is not JSON.`), { body: { body } });
  }
  if (message.error) {
    const { code = response.status, message: sentence = "", hint = "" } = message.error;
    throw Object.assign(new Error(`${code}: ${sentence}${hint && `\n${hint}`}`), { body: message });
  }
  return message.result;
}

// newField makes the input for one argument. read returns its value, or undefined when it is left out; write fills it.
function newField(name, schema, required) {
  const id = `argument-${name}`;
  const common = { id, name, required, autocomplete: "off", spellcheck: false };
  const kind = schema.enum ? "enum" : schema.type;
  let input;
  let note = schema.description ?? "";
  let read = () => input.value || undefined;
  let write = (value) => (input.value = value ?? "");
  switch (kind) {
    case "enum":
    case "boolean": {
      const values = schema.enum ?? [true, false];
      input = make("select", common, make("option", { value: "", textContent: "" }), ...values.map((value) => make("option", { value: String(value), textContent: String(value) })));
      read = () => values.find((value) => input.value === String(value));
      write = (value) => (input.value = value === undefined ? "" : String(value));
      break;
    }
    case "integer":
    case "number":
      input = make("input", { ...common, type: "number", step: kind === "integer" ? "1" : "any", min: schema.minimum ?? "", max: schema.maximum ?? "" });
      read = () => (input.value === "" ? undefined : Number(input.value));
      if (schema.minimum !== undefined && schema.maximum !== undefined) note += ` (${schema.minimum.toLocaleString("en")} to ${schema.maximum.toLocaleString("en")})`;
      break;
    case "array":
      if (!["string", "integer", "number"].includes(schema.items?.type)) return newJSONField(name, common, note, required);
      input = make("textarea", { ...common, rows: 1 });
      read = () => {
        const lines = input.value.split("\n").map((line) => line.trim()).filter(Boolean);
        return lines.length ? lines.map((line) => (schema.items.type === "string" ? line : Number(line))) : undefined;
      };
      write = (value) => (input.value = (value ?? []).join("\n"));
      note += "; one a line";
      break;
    case "string":
      input = make("input", { ...common, type: "text" });
      break;
    default:
      return newJSONField(name, common, note, required);
  }
  return { name, input, read, write, row: newRow(name, input, note, required) };
}

// newJSONField is for whatever has no input of its own.
function newJSONField(name, common, note, required) {
  const input = make("textarea", { ...common, rows: 1, placeholder: "{ }" });
  const read = () => {
    input.setCustomValidity("");
    if (!input.value.trim()) return undefined;
    try {
      return JSON.parse(input.value);
    } catch (error) {
      input.setCustomValidity(`${name} is not JSON: ${error.message}`);
      return undefined;
    }
  };
  const write = (value) => (input.value = value === undefined ? "" : JSON.stringify(value));
  return { name, input, read, write, row: newRow(name, input, note, required) };
}

function newRow(name, input, note, required) {
  const label = make("label", { htmlFor: input.id, textContent: name });
  if (required) label.append(" ", make("span", { className: "required", textContent: "required" }));
  const small = make("small", { id: `${input.id}-note`, textContent: note });
  input.setAttribute("aria-describedby", small.id);
  return make("div", { className: "field" }, label, input, small);
}

// choose shows the form of a tool, filled with arguments.
function choose(name, given = {}) {
  const tool = tools.get(name);
  const required = tool.inputSchema.required ?? [];
  at("tool").value = name;
  at("tool-note").textContent = tool.description;
  fields = Object.entries(tool.inputSchema.properties ?? {}).map(([key, schema]) => newField(key, schema, required.includes(key)));
  fields.sort((a, b) => b.input.required - a.input.required); // stable: the schema's own order otherwise
  for (const field of fields) field.write(given[field.name]);
  at("fields").replaceChildren(...fields.map((field) => field.row));
  spell();
}

// read returns the arguments as the form has them.
function read() {
  return Object.fromEntries(fields.map((field) => [field.name, field.read()]).filter(([, value]) => value !== undefined));
}

// spell shows the call as the tools' own texts spell it.
function spell() {
  at("spelled").textContent = `${at("tool").value} ${JSON.stringify(read())}`;
}

// objectEnd is where the JSON object that begins at an index ends.
function objectEnd(text, begin) {
  let depth = 0;
  let quoted = false;
  for (let i = begin; i < text.length; i++) {
    const letter = text[i];
    if (letter === "\\" && quoted) i++;
    else if (letter === '"') quoted = !quoted;
    else if (letter === "{" && !quoted) depth++;
    else if (letter === "}" && !quoted && --depth === 0) return i + 1;
  }
  return begin;
}

// callsIn finds the calls that a text spells out, such as fetch {"id":"…"}. A line that begins with > says what stands
// in a record, not what the server says; … alone stands for a value, and is none.
function callsIn(text) {
  const found = [];
  for (const match of text.matchAll(/(?<!\w)([a-z_]+) (?=\{)/g)) {
    const begin = match.index + match[0].length;
    const end = objectEnd(text, begin);
    if (!tools.has(match[1]) || text.startsWith(">", text.lastIndexOf("\n", match.index) + 1)) continue;
    try {
      const given = JSON.parse(text.slice(begin, end));
      if (!Object.values(given).includes("…")) found.push({ begin: match.index, end, name: match[1], given });
    } catch {
      // not a call after all
    }
  }
  return found;
}

// showText shows a text, with each call in it as a button that runs it.
function showText(text) {
  const parts = [];
  let shown = 0;
  for (const { begin, end, name, given } of callsIn(text)) {
    if (begin < shown) continue;
    const button = make("button", { type: "button", className: "call", textContent: text.slice(begin, end) });
    button.addEventListener("click", () => repeat(name, given));
    parts.push(text.slice(shown, begin), button);
    shown = end;
  }
  at("text").replaceChildren(...parts, text.slice(shown));
}

// repeat makes a call that stands somewhere on the page. The form shows it, and the answer takes the focus, for the
// button that was pressed may go.
function repeat(name, given) {
  if (busy) return;
  choose(name, given);
  at("answer").focus();
  run(name, given);
}

// run makes a call and shows its answer.
async function run(name, given) {
  if (busy) return;
  busy = true;
  at("run").setAttribute("aria-busy", "true");
  at("outcome").textContent = "Running …";
  const began = performance.now();
  let text, structured, outcome;
  let failed = false;
  try {
    const result = await send("tools/call", { name, arguments: given });
    text = result.content.map((part) => part.text ?? JSON.stringify(part)).join("\n");
    structured = result.structuredContent;
    failed = result.isError === true;
    outcome = failed ? (structured?.error?.code ?? "error") : "ok";
  } catch (error) {
    failed = true;
    text = error.message;
    structured = error.body;
    outcome = "refused";
  }
  const took = `${Math.round(performance.now() - began)} ms`;
  const size = { text: bytesOf(text), structured: structured === undefined ? 0 : bytesOf(JSON.stringify(structured)) };
  showText(text);
  at("structured").textContent = structured === undefined ? "" : JSON.stringify(structured, null, 2);
  at("text-bytes").textContent = bytes(size.text);
  at("structured-bytes").textContent = bytes(size.structured);
  at("outcome").replaceChildren(make("strong", { className: failed ? "bad" : "good", textContent: failed ? `Error: ${outcome}` : "OK" }), ` ${name} in ${took}`);
  at("channels").hidden = false;
  at("text").scrollTop = at("structured").scrollTop = 0;
  say(failed ? `Error: ${outcome}.` : `${name} answered: ${bytes(size.text)} of text, ${bytes(size.structured)} of structure.`);
  remember(name, given, outcome, failed, size, took);
  at("run").removeAttribute("aria-busy");
  busy = false;
}

// remember adds a call to the list, the newest first.
function remember(name, given, outcome, failed, size, took) {
  totals.calls++;
  totals.text += size.text;
  totals.structured += size.structured;
  const again = make("button", { type: "button", className: "call", textContent: `${name} ${JSON.stringify(given)}` });
  again.addEventListener("click", () => repeat(name, given));
  at("history").prepend(
    make("tr", {},
      make("td", {}, again),
      make("td", { className: failed ? "bad" : "good", textContent: outcome }),
      make("td", { textContent: bytes(size.text) }),
      make("td", { textContent: bytes(size.structured) }),
      make("td", { textContent: took }),
    ),
  );
  at("count").textContent = `${totals.calls} ${totals.calls === 1 ? "call" : "calls"}, ${bytes(totals.text + totals.structured)} in all`;
  at("text-total").textContent = bytes(totals.text);
  at("structured-total").textContent = bytes(totals.structured);
  at("past").hidden = false;
}

// begin lists the tools.
async function begin() {
  if (!at("token").value) {
    at("outcome").textContent = "The console needs the token that the demo printed.";
    return;
  }
  try {
    const { tools: listed } = await send("tools/list", {});
    tools.clear();
    for (const tool of listed) tools.set(tool.name, tool);
    at("tool").replaceChildren(...listed.map((tool) => make("option", { value: tool.name, textContent: tool.name })));
    at("outcome").textContent = "Run a call, and its answer stands here.";
    choose(listed[0].name);
  } catch (error) {
    at("outcome").textContent = error.message;
  }
}

const brought = new URLSearchParams(location.hash.slice(1)).get("token");
if (brought) {
  at("token").value = brought;
  history.replaceState(null, "", location.pathname); // it need not stay in the address bar
}
at("without").hidden = true;
at("console").hidden = false;
at("token").addEventListener("change", begin);
at("tool").addEventListener("change", () => choose(at("tool").value));
at("fields").addEventListener("input", spell);
at("call").addEventListener("submit", (event) => {
  event.preventDefault();
  const given = read();
  const broken = fields.find((field) => field.input.validity.customError); // text that is no JSON cannot even be sent
  if (broken) broken.input.reportValidity();
  else if (tools.size > 0) run(at("tool").value, given);
});
begin();
