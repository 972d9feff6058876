// Fills a demo desk once, and keeps its data in a folder for FRONTDESK_TEST_DEMO.
//
//   node tests/furnish.mjs FOLDER
import { startDemo } from "./app.mjs";

const desk = await startDemo();
await desk.stop(process.argv[2]);
