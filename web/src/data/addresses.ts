// Email addresses as people type them and as they are shown.

/** Whether two addresses are the same: case does not matter. */
export const sameAddress = (a: string | null | undefined, b: string | null | undefined) => (a ?? "").toLowerCase() === (b ?? "").toLowerCase();

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** A name with the address that it belongs to: anybody can call themselves anything. */
export function nameAndAddress({ name, email }: { name: string | null; email: string }): string {
  return name && !sameAddress(name, email) ? `${name} <${email}>` : email;
}

const address = /^[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;".]+$/;

export type Typed = { given: { email: string; name: string | null }[]; wrong: string[] };

/** The addresses in what was typed or pasted: one or several, also as "Name <address>". */
export function readAddresses(typed: string): Typed {
  const read: Typed = { given: [], wrong: [] };
  // A name in quotation marks may have a comma.
  for (const found of typed.match(/(?:"[^"]*"|[^,;\n])+/g) ?? []) {
    const part = found.trim();
    if (part === "") continue;
    const named = /^(.*?)<\s*([^<>]*?)\s*>$/.exec(part);
    const email = named ? named[2]! : part;
    const name = named ? named[1]!.trim().replace(/^"(.*)"$/, "$1") : "";
    if (!address.test(email)) read.wrong.push(part);
    else if (!read.given.some((g) => sameAddress(g.email, email))) read.given.push({ email, name: name || null });
  }
  return read;
}
