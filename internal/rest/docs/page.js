// Shows the API document of this server.
window.ui = SwaggerUIBundle({
  url: "/v1/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayRequestDuration: true,
  showExtensions: true,
  showCommonExtensions: true,
  validatorUrl: null, // the default is a service of somebody else
  defaultModelsExpandDepth: -1,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  // The bar at the top is removed. It offers other documents and brings its own style.
  plugins: [SwaggerUIBundle.plugins.DownloadUrl, () => ({ components: { Topbar: () => null } })],
  layout: "StandaloneLayout",
});
