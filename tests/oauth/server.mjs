// An identity server for the tests: npm's oidc-provider, with RFC 8693 as the one grant type of our client. It ends when its standard
// input does. Consents are its own Grants, found by account; what it was sent and what it issued is kept, so that a test can look for it.
//     node server.mjs FOLDER_OF_NODE_MODULES '{"clients": [...]}'
import { createServer } from "node:http";
import { once } from "node:events";
import { pathToFileURL } from "node:url";

const [folder, given] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${folder}/node_modules/${path}`));
const { Provider, errors } = await load("oidc-provider/lib/index.js");
const { createLocalJWKSet, jwtVerify } = await load("jose/dist/webapi/index.js");
const { clients } = JSON.parse(given);
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const TYPES = { jwt: "urn:ietf:params:oauth:token-type:jwt", access: "urn:ietf:params:oauth:token-type:access_token" };

const server = createServer().listen(0, "127.0.0.1");
await once(server, "listening");
const issuer = `http://127.0.0.1:${server.address().port}`;
let grants = {}, plans = [];
const asked = [], seen = new Set();
const note = (params) => Object.entries(params ?? {}).filter(([name, value]) => value && /token$|assertion$/.test(name)).forEach(([, value]) => seen.add(value));

const provider = new Provider(issuer, {
  clients,
  features: { introspection: { enabled: true, allowedPolicy: () => true }, revocation: { enabled: true }, devInteractions: { enabled: false } },
  extraTokenClaims: (ctx) => ({ act: ctx.state.act }), // delegation, and never impersonation
});

const subject = async (ctx, kind) => {
  if (ctx.oidc.params[`${kind}_token_type`] !== TYPES.jwt) throw new errors.InvalidRequest(`the ${kind} token must be a JWT`);
  const told = { issuer: ctx.oidc.client.clientId, audience: issuer, typ: TYPES.jwt, maxTokenAge: "60s", requiredClaims: ["exp", "jti"] };
  const read = await jwtVerify(ctx.oidc.params[`${kind}_token`], createLocalJWKSet(ctx.oidc.client.jwks), told)
    .catch((error) => { throw new errors.InvalidGrant(`the ${kind} token does not hold: ${error.message}`); });
  return read.payload.sub;
};

provider.registerGrantType(EXCHANGE, async (ctx) => {
  const { resource, audience, scope = "", requested_token_type: wanted } = ctx.oidc.params;
  const [accountId, actor] = [await subject(ctx, "subject"), await subject(ctx, "actor")];
  const grant = grants[accountId] && (await provider.Grant.find(grants[accountId]));
  if (!grant || grant.clientId !== ctx.oidc.client.clientId) throw new errors.InvalidGrant("there is no consent, or it was withdrawn");
  if (resource !== audience || !grant.getResourceScope(resource)) throw new errors.InvalidTarget("the consent is not for this resource");
  if (wanted !== TYPES.access) throw new errors.InvalidRequest("only access tokens are given");
  const granted = grant.getResourceScopeFiltered(resource, scope.split(" "));
  const plan = plans.find((one) => one.kind === "issue") ?? {};
  ctx.state.act = plan.act === null ? undefined : { sub: plan.act ?? actor };
  const token = new provider.AccessToken({ accountId: plan.sub ?? accountId, client: ctx.oidc.client, grantId: plan.sub ? undefined : grant.jti, gty: "token_exchange",
    scope: plan.scope ?? granted, expiresIn: plan.expires_in ?? 120 });
  token.setAudience(plan.audience ?? audience);
  const access_token = await token.save();
  ctx.body = { access_token, issued_token_type: TYPES.access, token_type: "Bearer", expires_in: token.expiration, scope: token.scope };
}, ["subject_token", "subject_token_type", "actor_token", "actor_token_type", "requested_token_type", "scope", "audience", "resource"]);

const controlled = { // what a test has the server do: POST /_control/NAME
  reset: () => { [grants, plans] = [{}, []]; asked.length = 0; seen.clear(); },
  grant: async ({ sub, client, audience, scopes }) => {
    const grant = new provider.Grant({ accountId: sub, clientId: client });
    grant.addResourceScope(audience, scopes.join(" "));
    grants[sub] = await grant.save();
  },
  withdraw: async ({ sub }) => (await provider.Grant.find(grants[sub]))?.destroy(),
  plan: (plan) => { plans.push({ times: Infinity, ...plan }); },
  clear: () => { plans = []; },
  seen: () => ({ tokens: [...seen], asked }),
};

const broken = { // requests that meet a plan of this kind never get their answer
  down: (ctx) => { ctx.status = 503; ctx.body = "not now"; },
  busy: (ctx) => { ctx.status = 429; ctx.body = { error: "slow_down" }; },
  rubbish: (ctx) => { ctx.body = "<html>Sign in</html>"; },
  redirect: (ctx) => ctx.redirect(`${issuer}/elsewhere`),
  cut: (ctx) => { ctx.respond = false; ctx.req.socket.destroy(); },
  hang: (ctx) => { ctx.respond = false; },
  stall: (ctx) => { ctx.respond = false; ctx.res.writeHead(200, { "content-type": "application/json" }); ctx.res.write("{"); },
  drip: (ctx) => { ctx.respond = false; const drops = setInterval(() => ctx.res.write(" "), 50); ctx.res.on("close", () => clearInterval(drops)); },
};

provider.use(async (ctx, next) => {
  const body = async () => { let text = ""; for await (const chunk of ctx.req) text += chunk; return text; };
  if (ctx.path.startsWith("/_control/")) {
    ctx.body = (await controlled[ctx.path.slice("/_control/".length)](JSON.parse(await body()))) ?? {};
    return;
  }
  asked.push(ctx.path);
  const plan = plans.find((one) => (one.kind in broken || one.kind === "change") && ctx.path.startsWith(one.path ?? "/") && one.times > 0);
  if (plan) plan.times -= 1;
  if (plan?.kind in broken) {
    note(Object.fromEntries(new URLSearchParams(await body())));
    broken[plan.kind](ctx);
    return;
  }
  await next();
  note(ctx.oidc?.params);
  note(ctx.body);
  if (plan) [ctx.status, ctx.body] = [plan.status ?? ctx.status, { ...ctx.body, ...plan.with }];
  (plan?.drop ?? []).forEach((name) => delete ctx.body[name]);
});

server.on("request", provider.callback());
process.stdin.on("end", () => process.exit()).resume();
console.log(issuer);
