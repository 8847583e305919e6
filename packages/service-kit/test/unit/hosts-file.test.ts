import { expect, test } from 'vitest'
import { parseHosts } from '../../src/outgoing/hosts-file.ts'

test('names have all their addresses in a hosts file, and comments and invalid addresses are skipped', () => {
  const text =
    '# none\n127.0.0.1\tlocalhost Other # comment\n\n::1 localhost\r\nnot-an-address name\n  10.0.0.1 other\n10.0.0.2'
  expect([...parseHosts(text)]).toEqual([
    ['localhost', [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }]],
    ['other', [{ address: '127.0.0.1', family: 4 }, { address: '10.0.0.1', family: 4 }]],
  ]) // biome-ignore format: a table
})
