// What charts say and mean, without a browser: the marks of their axes, and their colours.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sources } from "./source.mjs";

const [{ axisOf }, { coloursOf }] = await sources(["screens/insights/axis.ts", "screens/insights/colours.ts"]);

for (const [highest, unit, said] of [
  [0, undefined, ["0", "1"]],
  [1, undefined, ["0", "1"]],
  [2, undefined, ["0", "1", "2"]],
  [3, undefined, ["0", "1", "2", "3"]],
  [4, undefined, ["0", "1", "2", "3", "4"]],
  [5, undefined, ["0", "2", "4", "6"]],
  [17, undefined, ["0", "5", "10", "15", "20"]],
  [4000, undefined, ["0", "1,000", "2,000", "3,000", "4,000"]],
  [0.4, "percent", ["0 %", "0.1 %", "0.2 %", "0.3 %", "0.4 %"]],
  [33.3, "percent", ["0 %", "10 %", "20 %", "30 %", "40 %"]],
  [100, "percent", ["0 %", "50 %", "100 %"]],
  [4.4, "points", ["0.00", "2.00", "4.00", "6.00"]],
  [0.3, "minutes", ["0 min", "1 min"]],
  [100, "minutes", ["0 min", "30 min", "60 min", "90 min", "120 min"]],
  [200, "minutes", ["0 h", "1 h", "2 h", "3 h", "4 h"]],
  [2500, "minutes", ["0 h", "12 h", "24 h", "36 h", "48 h"]],
  [5000, "minutes", ["0 d", "1 d", "2 d", "3 d", "4 d"]],
  [90_000, "minutes", ["0 d", "20 d", "40 d", "60 d", "80 d"]],
])
  test(`an axis to ${highest} ${unit ?? "requests"}`, () => {
    const { ticks, label } = axisOf(highest, unit);
    assert.deepEqual(ticks.map(label), said);
  });

test("whatever the highest is, an axis reaches it with few marks, and no two say the same", () => {
  for (const unit of [undefined, "percent", "points", "minutes"]) {
    for (let highest = 0.001; highest < 1e7; highest *= 1.07) {
      const { ticks, label } = axisOf(unit === undefined ? Math.ceil(highest) : highest, unit);
      const said = ticks.map(label);
      assert.ok(ticks.at(-1) >= highest, `${highest} ${unit}: ${said}`);
      assert.ok(ticks.length <= 5, `${highest} ${unit}: ${said}`);
      assert.equal(new Set(said).size, said.length, `${highest} ${unit}: ${said}`);
      if (unit === undefined) assert.ok(ticks.every(Number.isInteger), said);
    }
  }
});

test("what is late is red, and nothing else is", () => {
  const late = coloursOf(["first_response_sla_breached", "resolution_time_sla_breached", "one_touch_resolution_breached_percent"]);
  assert.equal(new Set(late).size, 3);
  for (const colour of late) assert.match(colour, /^red\./);
  const mixed = coloursOf(["count", "resolution_time_sla_breached", "resolved_requests_count"]);
  assert.deepEqual(
    mixed.map((c) => c.startsWith("red.")),
    [false, true, false],
  );
});
