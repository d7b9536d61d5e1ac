// Walks a server with one client of the official TypeScript SDKs, whichever generation it is of.
import { bad, good, listed, unlisted } from "./calls.mjs";
import { check, want } from "./demo.mjs";

// walk connects client and checks that it finds and can call everything.
export async function walk(name, client, transport, version) {
  let connected = false;
  await check(`${name}: connects`, async () => {
    await client.connect(transport);
    connected = true;
    const spoken = client.getNegotiatedProtocolVersion?.() ?? version;
    want(spoken === version, `speaks ${spoken}, not ${version}`);
    want(client.getInstructions()?.includes("connection_id"), "has no instructions");
  });
  if (!connected) return;
  await check(`${name}: lists the tools`, async () => {
    const { tools } = await client.listTools();
    want(tools.map((tool) => tool.name).sort().join() === listed.join(), tools.map((tool) => tool.name));
    want(tools.every((tool) => tool.outputSchema && tool.annotations.readOnlyHint), "a tool lacks an output schema or its annotation");
  });
  for (const [tool, args] of [...good, ...unlisted]) {
    await check(`${name}: ${tool} ${JSON.stringify(args)}`, async () => {
      const result = await client.callTool({ name: tool, arguments: args });
      want(!result.isError, result);
      want(result.content[0].type === "text" && result.structuredContent, result);
    });
  }
  await check(`${name}: fetch_blob of what a record points at`, async () => {
    const page = await client.callTool({ name: "query_records", arguments: { stream: "attachments", connection_id: "cin_mail_work", limit: 1 } });
    const { blob_id } = page.structuredContent.data.data[0].data.blob_ref;
    const result = await client.callTool({ name: "fetch_blob", arguments: { blob_id, connection_id: "cin_mail_work" } });
    want(!result.isError && JSON.stringify(result).includes(blob_id), result);
  });
  for (const [tool, args, code] of bad) {
    await check(`${name}: ${tool} ${JSON.stringify(args)} is ${code}`, async () => {
      const result = await client.callTool({ name: tool, arguments: args });
      want(result.isError && result.structuredContent.error.code === code, result);
      want(result.content[0].text.startsWith(`${code}: `), result.content);
    });
  }
  await check(`${name}: reads resources`, async () => {
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    want(resources.length > 0 && resourceTemplates.length > 0, "lists none");
    const { contents } = await client.readResource({ uri: "pdpp://stream/notes" });
    want(JSON.parse(contents[0].text).data, contents);
  });
  await check(`${name}: a resource that does not exist is refused`, async () => {
    const refused = await client.readResource({ uri: "pdpp://record/nothing:here" }).then(
      () => null,
      (error) => error,
    );
    want(refused?.code === -32602, `got ${refused?.code} ${refused?.message}`);
  });
  await client.close();
}
