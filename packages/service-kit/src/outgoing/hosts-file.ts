import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'

/** The addresses of each name in a hosts file. The keys are in lower case. */
export function parseHosts(text: string): Map<string, LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names)
      hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), { address, family }])
  }
  return hosts
}
