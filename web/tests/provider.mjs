// A minimal OpenID provider: discovery, keys, a code for a valid request, and a signed
// token for the code. It asks for no password: everybody is signed in as `person`.
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer } from "node:http";

const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

export async function startProvider({ clientId, clientSecret }) {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map();
  const provider = { person: null };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, provider.url);
    const json = (body, status = 200) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json({
          issuer: provider.url,
          authorization_endpoint: `${provider.url}/authorize`,
          token_endpoint: `${provider.url}/token`,
          jwks_uri: `${provider.url}/keys`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
        });
      case "/keys":
        return json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", use: "sig", alg: "RS256" }] });
      case "/authorize": {
        const asked = Object.fromEntries(url.searchParams);
        assert.equal(asked.client_id, clientId);
        const code = randomUUID();
        codes.set(code, asked);
        const back = new URL(asked.redirect_uri);
        back.search = new URLSearchParams({ code, state: asked.state });
        return response.writeHead(302, { Location: String(back) }).end();
      }
      case "/token": {
        let body = "";
        for await (const chunk of request) body += chunk;
        const given = Object.fromEntries(new URLSearchParams(body));
        const [id, secret] = Buffer.from((request.headers.authorization ?? "").replace("Basic ", ""), "base64")
          .toString()
          .split(":")
          .map((part) => new URLSearchParams(`v=${part}`).get("v")); // as forms are encoded, the standard says
        const asked = codes.get(given.code);
        codes.delete(given.code);
        const known = (id === clientId && secret === clientSecret) || (given.client_id === clientId && given.client_secret === clientSecret);
        const proven =
          asked &&
          createHash("sha256")
            .update(given.code_verifier ?? "")
            .digest("base64url") === asked.code_challenge;
        if (!known || !proven) return json({ error: "invalid_grant" }, 400);
        const now = Math.floor(Date.now() / 1000);
        const claims = { iss: provider.url, aud: clientId, iat: now, exp: now + 300, nonce: asked.nonce, ...provider.person };
        const signed = `${encode({ alg: "RS256", kid: "1" })}.${encode(claims)}`;
        const token = `${signed}.${sign("sha256", signed, privateKey).toString("base64url")}`;
        return json({ access_token: randomUUID(), token_type: "Bearer", expires_in: 300, id_token: token });
      }
      default:
        return json({ error: "not_found" }, 404);
    }
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  provider.url = `http://127.0.0.1:${server.address().port}`;
  provider.stop = () =>
    new Promise((stopped) => {
      server.close(stopped);
      server.closeAllConnections();
    });
  return provider;
}
