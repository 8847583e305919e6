const MAX_LENGTH = 64

/** NFKD without marks, lower case, `-` for other characters, at most 64 (docs/api.md §2); then the next free `-2`, `-3`…. */
export function vaultSlug(name: string, taken: ReadonlySet<string> = new Set()): string {
  const base = slugify(name) || 'vault'
  let slug = base
  for (let number = 2; taken.has(slug); number += 1) {
    const suffix = `-${number}`
    slug = trimDashes(base.slice(0, MAX_LENGTH - suffix.length)) + suffix
  }
  return slug
}

function slugify(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  return trimDashes(trimDashes(plain.replace(/[^a-z0-9]+/g, '-')).slice(0, MAX_LENGTH))
}

function trimDashes(text: string): string {
  return text.replace(/^-+|-+$/g, '')
}
