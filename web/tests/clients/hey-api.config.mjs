// What @hey-api/openapi-ts is told. The extension is Node's wish, which runs what was compiled.
export default {
  input: "tests/clients/generated/openapi.json",
  output: { path: "tests/clients/generated/hey-api", module: { extension: ".js" } },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
  logs: { level: "silent", file: false },
};
