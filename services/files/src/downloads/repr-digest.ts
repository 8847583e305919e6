import type { FileRow } from '@tideport/file-lifecycle/state/tables'

/** Names of RFC 9530 for digests whose names in `file.digests` differ. */
const fieldNames: Record<string, string> = { sha1: 'sha', sha256: 'sha-256', sha512: 'sha-512' }

export const fieldNameOf = (algorithm: string) => fieldNames[algorithm] ?? algorithm

/**
 * `Repr-Digest` (RFC 9530) of the complete file: the known digest that `Want-Repr-Digest` prefers, otherwise SHA-256.
 * Undefined: the file has neither.
 */
export function reprDigestOf(
  { sha256, digests }: Pick<FileRow, 'sha256' | 'digests'>,
  wanted: string | string[] | undefined,
): string | undefined {
  const known = new Map<string, string>()
  // A composite digest (`…-3`) is not one of the bytes.
  for (const [name, base64] of Object.entries(digests ?? {})) {
    if (!base64.includes('-')) known.set(fieldNameOf(name), base64)
  }
  if (sha256 !== null) known.set('sha-256', Buffer.from(sha256, 'hex').toString('base64'))
  const [first = 'sha-256'] = preferencesIn(String(wanted ?? '')).filter((name) => known.has(name))
  const base64 = known.get(first)
  return base64 && `${first}=:${base64}:`
}

/** `name=0` to `name=10`, where 0 means not acceptable. Invalid members are ignored. */
const PREFERENCE = /^([a-z*][a-z0-9_.*-]*)=(\d|10)(?:;.*)?$/

/** The algorithms in `Want-Repr-Digest`, most preferred first. */
export function preferencesIn(header: string): string[] {
  const found = header.split(',').flatMap((member) => {
    const [, name, preference] = PREFERENCE.exec(member.trim()) ?? []
    return name === undefined || Number(preference) === 0 ? [] : [{ name, preference: Number(preference) }]
  })
  return found.toSorted((a, b) => b.preference - a.preference).map(({ name }) => name)
}
