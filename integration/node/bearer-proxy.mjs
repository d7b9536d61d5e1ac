// A proxy on 127.0.0.1 that adds a bearer token, for clients that cannot send one. Host and Origin go through as they were
// sent, because whether the server refuses foreign ones is part of what is tested.
//
//   node bearer-proxy.mjs URL TOKEN     prints its own URL on one line, and serves until it is stopped
import { createServer, request } from "node:http";

const [target, token] = [new URL(process.argv[2]), process.argv[3]];

const proxy = createServer((asked, answer) => {
  const forwarded = request(
    {
      host: target.hostname,
      port: target.port,
      method: asked.method,
      path: asked.url,
      headers: { ...asked.headers, authorization: `Bearer ${token}` },
      setHost: false,
    },
    (received) => {
      answer.writeHead(received.statusCode, received.headers);
      received.pipe(answer);
    },
  );
  forwarded.on("error", () => answer.destroy());
  answer.on("close", () => forwarded.destroy());
  asked.pipe(forwarded);
});

proxy.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${proxy.address().port}${target.pathname}`));
