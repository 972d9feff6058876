// The names by which chat systems call emoji, and the characters that people see.
const characters: Record<string, string> = {
  "+1": "👍", thumbsup: "👍", "-1": "👎", thumbsdown: "👎", eyes: "👀", white_check_mark: "✅", heavy_check_mark: "✔️", ballot_box_with_check: "☑️",
  raised_hands: "🙌", clap: "👏", tada: "🎉", heart: "❤️", pray: "🙏", wave: "👋", ok_hand: "👌", muscle: "💪", point_up: "☝️", raised_hand: "✋", hand: "✋", handshake: "🤝",
  smile: "😄", smiley: "😃", grinning: "😀", slightly_smiling_face: "🙂", blush: "😊", joy: "😂", sweat_smile: "😅", wink: "😉", heart_eyes: "😍", sunglasses: "😎",
  thinking_face: "🤔", confused: "😕", cry: "😢", sob: "😭", angry: "😠", rage: "😡", scream: "😱", neutral_face: "😐", disappointed: "😞", relieved: "😌", worried: "😟", star_struck: "🤩", partying_face: "🥳",
  fire: "🔥", rocket: "🚀", star: "⭐", star2: "🌟", sparkles: "✨", zap: "⚡", bulb: "💡", "100": "💯", boom: "💥", sos: "🆘",
  warning: "⚠️", exclamation: "❗", question: "❓", rotating_light: "🚨", no_entry: "⛔", no_entry_sign: "🚫", x: "❌", bangbang: "‼️", red_circle: "🔴", large_blue_circle: "🔵", large_green_circle: "🟢", large_yellow_circle: "🟡",
  ticket: "🎫", admission_tickets: "🎟️", memo: "📝", pencil: "📝", pushpin: "📌", calendar: "📅", hourglass: "⌛", hourglass_flowing_sand: "⏳", alarm_clock: "⏰", lock: "🔒", unlock: "🔓", key: "🔑",
  mega: "📣", loudspeaker: "📢", bell: "🔔", email: "📧", envelope: "✉️", speech_balloon: "💬", package: "📦", gift: "🎁", link: "🔗", paperclip: "📎", mag: "🔍", wrench: "🔧", hammer_and_wrench: "🛠️", gear: "⚙️", bug: "🐛", computer: "💻", printer: "🖨️", chart_with_upwards_trend: "📈", moneybag: "💰", credit_card: "💳",
  coffee: "☕", pizza: "🍕", cake: "🍰", beers: "🍻", sunny: "☀️", rainbow: "🌈", ship: "🚢", truck: "🚚", house: "🏠", earth_africa: "🌍", robot_face: "🤖", ghost: "👻", cat: "🐱", dog: "🐶",
  one: "1️⃣", two: "2️⃣", three: "3️⃣", four: "4️⃣", five: "5️⃣", arrow_right: "➡️", arrow_left: "⬅️", recycle: "♻️", repeat: "🔁", new: "🆕", ok: "🆗", checkered_flag: "🏁",
};

const tones = ["", "", "\u{1F3FB}", "\u{1F3FC}", "\u{1F3FD}", "\u{1F3FE}", "\u{1F3FF}"];

/** The character for an emoji's name; the name between colons for one that we do not know, a workspace's own for instance. */
export function emoji(name: string): string {
  const [base = "", tone] = name.split("::skin-tone-");
  const character = characters[base];
  if (!character) return `:${base}:`;
  return tone ? `${character.replace("\uFE0F", "")}${tones[Number(tone)] ?? ""}` : character;
}

/** What an emoji is called when it is read aloud. */
export function emojiName(name: string): string {
  return ({ "+1": "thumbs up", "-1": "thumbs down" } as Record<string, string>)[name] ?? name.replaceAll("_", " ");
}

/** A text in which names between colons are characters, where they are known. */
export function withEmoji(text: string): string {
  return text.replaceAll(/:([a-z0-9_+'-]{1,100}(?:::skin-tone-[2-6])?):/g, (all, name: string) => (characters[name.split("::")[0] ?? ""] ? emoji(name) : all));
}

/** Those that people react with most. */
export const commonEmoji = ["+1", "eyes", "white_check_mark", "tada", "heart", "raised_hands", "pray", "joy", "smile", "thinking_face", "cry", "fire", "rocket", "rotating_light", "ticket", "x"];
