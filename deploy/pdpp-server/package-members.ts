// A directory of package members for the PDPP reference server: which grants a package token stands for, and their tokens, for an
// MCP server beside it. Mount it next to mountAsIntrospect, with the same authenticateCaller, introspect and pdppError:
//
//   mountPackageMembers(app, { authenticateCaller, getGrantPackageAccess, introspect, pdppError });

/* eslint-disable @typescript-eslint/no-explicit-any -- the shapes are those of the server's own routes */
interface Context {
  authenticateCaller: (authorization: string | undefined) => boolean;
  getGrantPackageAccess: (packageId: string) => Promise<any>;
  introspect: (token: string) => Promise<any>;
  pdppError: (res: unknown, status: number, code: string, message: string) => unknown;
}

export function mountPackageMembers(app: any, ctx: Context): void {
  app.post("/packages", async (req: any, res: any) => {
    if (!ctx.authenticateCaller(req.get("Authorization"))) {
      res.setHeader("WWW-Authenticate", 'Basic realm="introspection"');
      return ctx.pdppError(res, 401, "context.authentication_failed", "Introspection client authentication failed");
    }
    if (typeof req.body?.token !== "string" || req.body.token === "") {
      return ctx.pdppError(res, 400, "invalid_request", "Missing token parameter");
    }
    res.setHeader("Cache-Control", "no-store");
    const token = await ctx.introspect(req.body.token); // the package outlives a token whose refresh family is dead
    const live = token.active === true && token.pdpp_token_kind === "mcp_package";
    const access = live ? await ctx.getGrantPackageAccess(token.grant_package_id) : null;
    if (!access) {
      return res.json({ status: "revoked", members: [] });
    }
    const expires = token.exp ? { expires_at: new Date(token.exp * 1000).toISOString() } : {};
    const members = access.members
      .filter((member: any) => member.source?.connection_id)
      .map((member: any) => ({
        grant_id: member.grant_id,
        connection_id: member.source.connection_id,
        connector_key: member.source.connector_key ?? member.grant_storage_binding?.connector_id,
        display_name: member.source.display_name,
        streams: member.grant.streams.map((stream: any) => stream.name),
        access_token: member.token,
        usable: true,
        ...expires,
      }));
    return res.json({ package_id: token.grant_package_id, status: "active", members });
  });
}
