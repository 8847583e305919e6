#!/usr/bin/env node
import { forward } from './forward.ts'

/**
 * `tideport PROGRAM …`: the entry point of the images. Imports the program, so that the program receives signals itself
 * (ADR 0034). `FORWARD` ("PORT=HOST:PORT …") forwards local ports for client programs.
 */
const services = ['serve', 'gateway', 'auth', 'files', 'sync', 'eviction', 'webhooks'].map((name) => [
  name,
  `services/${name}/src/main.ts`,
])
const migrations = ['auth', 'files', 'webhooks'].map((name) => [`migrate ${name}`, `services/${name}/src/migrate.ts`])
/** With all servers in the container, the program takes its settings from them. */
const operator = `packages/${process.env.TIDEPORT_DATA ? 'all-in-one/src/operator-program' : 'operator/src/main'}.ts`
const programs = new Map<string, string>([
  ...(services as [string, string][]),
  ...(migrations as [string, string][]),
  ['start', 'packages/all-in-one/src/main.ts'],
  ['move-out', 'packages/all-in-one/src/main.ts'],
  ['operator', operator],
  ['backup', operator],
  ['restore', operator],
  ['cli', 'packages/cli/src/main.ts'],
  ['smoke', 'deploy/image/smoke.ts'],
  ['versitygw-door', 'packages/versitygw/src/door.ts'],
  ['versitygw-heal', 'packages/versitygw/src/heal.ts'],
  ['walrus-devnet', 'packages/walrus-devnet/src/main.ts'],
])

const words = process.argv.slice(2)
const name = programs.has(words[0] ?? '') ? words.splice(0, 1).join() : words.splice(0, 2).join(' ')
const program = programs.get(name)
if (program === undefined) {
  process.stderr.write(
    `tideport: Unknown program "${name}". The programs are:\n  ${[...programs.keys()].join('\n  ')}\n`,
  )
  process.exit(2)
}
// `tideport backup` is short for `tideport operator backup`, and the program of `start` also moves data.
if ((program === operator && name !== 'operator') || name === 'move-out') words.unshift(name)
const url = new URL(`../../${program}`, import.meta.url)
await Promise.all((process.env.FORWARD ?? '').split(/\s+/).filter(Boolean).map(forward))
process.argv.splice(1, process.argv.length - 1, url.pathname, ...words)
await import(url.href).catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes(url.pathname)) throw error
  process.stderr.write(
    `tideport: This image does not contain ${name}. Use the image of ${name} or the one with all programs.\n`,
  )
  process.exit(2)
})
