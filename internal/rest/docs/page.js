// Shows the API document of this server.
window.ui = SwaggerUIBundle({
  url: "/v1/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayRequestDuration: true,
  showExtensions: true,
  showCommonExtensions: true,
  validatorUrl: null, // which would be somebody else's
  defaultModelsExpandDepth: -1,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  // Without the bar at the top, which offers other documents and brings a style of its own.
  plugins: [SwaggerUIBundle.plugins.DownloadUrl, () => ({ components: { Topbar: () => null } })],
  layout: "StandaloneLayout",
});
