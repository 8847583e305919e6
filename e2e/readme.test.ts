import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { sharedStack } from './support/shared-stack.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const scripts = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, script]) => script as string)
const hasCurl = spawnSync('curl', ['--version']).status === 0

test('the walk through the API in the README works to the letter', async ({ skip }) => {
  skip(!hasCurl, 'curl is not installed, and it is no requirement of the tests')
  const [walk] = scripts as [string]
  expect(scripts).toEqual([walk])
  const env = {
    ...process.env,
    API: sharedStack().gatewayUrls[0],
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  }
  const options = { env, timeout: 120_000 }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', walk], options)
  const lines = stdout.split('\n')
  // Its bytes by download URL and by blob id, a range of them by file id, and what the revoked key gets.
  expect(lines.filter((line) => line === 'Hello, Tideport')).toHaveLength(2)
  expect(lines).toContain('Tideport')
  expect(lines).toContain('{"error":"The API key has been revoked","code":"api_key_revoked"}')
})
