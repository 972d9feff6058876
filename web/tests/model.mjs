// A stand-in for a language model, as a server that speaks its protocol. It answers
// questions about titles and AI fields with nothing, so that rules give them, and all
// others as a test says.
import { createServer } from "node:http";

export async function startModel() {
  const model = { asked: [], answer: () => ({ html: "<p>Yes.</p>" }) };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { messages } = JSON.parse(body);
    const [{ content: instructions }, { content }] = messages;
    const matter = JSON.parse(content);
    const said = async () => {
      if (instructions.startsWith("You classify")) return {};
      const kind = /Summarise/.test(instructions) ? "summary" : /Draft/.test(instructions) ? "draft" : "translation";
      model.asked.push({ kind, matter });
      return model.answer(kind, matter);
    };
    const answer = await said();
    if (typeof answer === "number") return response.writeHead(answer).end();
    const completion = { choices: [{ message: { role: "assistant", content: JSON.stringify(answer) } }], usage: { total_tokens: 100 } };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(completion));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  model.url = `http://127.0.0.1:${server.address().port}/v1`;
  /** Makes it wait before it answers. Returns a function that lets it. */
  model.hold = () => {
    const { answer } = model;
    let letGo;
    const free = new Promise((resolve) => (letGo = resolve));
    model.answer = async (...about) => {
      await free;
      return answer(...about);
    };
    return () => {
      model.answer = answer;
      letGo();
    };
  };
  model.stop = () =>
    new Promise((stopped) => {
      server.close(stopped);
      server.closeAllConnections();
    });
  return model;
}
