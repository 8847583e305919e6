import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { FileRecord } from '@tideport/sdk'
import { createIdentity } from '@tideport/sdk/crypto'
import { startReceiver } from '@tideport/testing/receiver'
import { expect, test } from 'vitest'
import { createKey } from './support/account.ts'
import type { ApiClient } from './support/api-client.ts'
import { asFirstUser } from './support/as-first-user.ts'
import { fillsColoursInBatches } from './support/batches-example.ts'
import { type DocExample, exampleOf, examplesOf, type RunExample as Run, readExamples } from './support/doc-examples.ts'
import { storesFilesBySdk } from './support/files-sdk-example.ts'
import { ownBucket } from './support/own-bucket.ts'
import { decryptsTheVector, isOpenedByTheSdk } from './support/private-file-examples.ts'
import { runCommandLineExample } from './support/run-command-line-example.ts'
import { runSdkExample } from './support/run-sdk-example.ts'
import { answersOf, runShellExample } from './support/run-shell-example.ts'
import { s3ToolExamples } from './support/s3-tool-examples.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { openHotTier } from './support/stored-copies.ts'
import { createWebhook } from './support/webhook-events.ts'

/** A run of several examples in the order of their page. It starts once, with the first test that needs it. */
function together(run: () => Promise<unknown>): Run {
  let running: Promise<unknown> | undefined
  return async () => {
    running ??= run()
    await running
  }
}

const theSame = (page: string, places: number[], run: Run): Record<string, Run> =>
  Object.fromEntries(places.map((place) => [`${page} ${place}`, run]))

const walkThroughFiles = together(() =>
  walk(
    [
      ...examplesOf('docs/reference/http/files.md sh', [1, 2, 3]),
      ...examplesOf('docs/reference/http/many-files.md sh', [1, 2, 3]),
    ].join('\n'),
  ),
)
const firstUploads = together(() => {
  const [beginning = '', ...others] = examplesOf('docs/tutorials/first-upload.md js', [1, 2, 3, 4, 5, 6, 7])
  return runSdkProgram([beginning, ...others.map((code) => `{\n${code}\n}`)])
})
const commandsOfTheGuide = together(
  () =>
  runCommands([vaultOfTheGuide, ...examplesOf('docs/guides/command-line.md sh', [5, 6, 7, 8, 10]), exampleOf('docs/reference/cli.md sh 1')].join('\n')), // biome-ignore format: one script
)

const receiver = 'docs/guides/webhooks.md js 2'
/** How each example is executed. The last test fails if an example is missing here or in the pages. */
const runs: Record<string, Run> = {
  'docs/contribute/guide.md sql 1': fillsColoursInBatches,
  'README.md sh 1': ciRunsThese,
  'README.md sh 2': ({ code }) => walk(code),
  ...theSame('docs/reference/http/files.md sh', [1, 2, 3], walkThroughFiles),
  ...theSame('docs/reference/http/many-files.md sh', [1, 2, 3], walkThroughFiles),
  'docs/reference/http/webhooks.md js 1': readsDeliveries('isSigned'),
  'docs/reference/http/webhooks.md python 1': readsDeliveriesInPython,
  'docs/reference/http/webhooks.md js 2': readsDeliveries('readEvent'),
  'packages/sdk/README.md js 1': runsWithTheSdk,
  ...theSame('docs/tutorials/first-upload.md js', [1, 2, 3, 4, 5, 6, 7], firstUploads),
  'docs/contribute/add-a-network.md ts 1': isTestedAsDriver,
  'docs/guides/command-line.md sh 1': async ({ code }) => void (await runCommands(code, {})),
  'docs/guides/command-line.md sh 2': movesFilesByCommands,
  'docs/guides/webhooks.md js 1': receivesDeliveries,
  'docs/guides/webhooks.md js 2': worksWithWebhooks(/WEBHOOK_SECRET=whsec_.*\ndelivered/),
  'docs/guides/webhooks.md js 3': worksWithWebhooks(/not delivered: 500 .*\nredelivered: file.hot/, receiver),
  'docs/guides/webhooks.md js 4': worksWithWebhooks(/(WEBHOOK_SECRET=whsec_.*\s[^#]*){2}/, receiver),
  'docs/guides/webhooks.md js 5': worksWithWebhooks(/followed: file\.hot news\.txt/, receiver),
  'docs/guides/folders.md js 1': printsWithTheSdk(
    /trip\/day-1\/sun\.txt 18\n[\s\S]*1 \[ 'trip\/day-1\/', 'trip\/day-2\/' \]/,
  ),
  'docs/guides/folders.md js 2': printsWithTheSdk(/moved 3\n3 \[\]/, 'docs/guides/folders.md js 1'),
  'docs/guides/folders.md js 3': printsWithTheSdk(/done 3 0/, 'docs/guides/folders.md js 1'),
  'docs/guides/folders.md js 4': printsWithTheSdk(/hello\.txt Hello/),
  'docs/guides/leave.md sh 1': exportsToABucket,
  'docs/tutorials/run-tideport.md sh 1': async ({ code }) =>
    void (await runCommands(`echo hello > README.md\n${code.replaceAll('docker compose run --rm cli', 'tideport')}`)),
  ...theSame('docs/tutorials/first-upload.md sh', [1, 2, 3], together(() => walk(examplesOf('docs/tutorials/first-upload.md sh', [1, 2, 3]).join('\n')))), // biome-ignore format: one line
  'docs/guides/import.md js 1': copiesABucket,
  ...theSame('docs/guides/import.md js', [2, 3], together(storesFilesBySdk)),
  ...theSame('docs/guides/command-line.md sh', [5, 6, 7, 8, 10], commandsOfTheGuide),
  'docs/reference/cli.md sh 1': commandsOfTheGuide,
  ...theSame('docs/guides/command-line.md sh', [3, 4], together(sharesAVault)),
  'docs/guides/command-line.md sh 9': async ({ code }) => void (await runCommands(`${webhookOfTheGuide}\n${code}`)),
  'docs/reference/cli.md sh 2': async ({ code }) => void (await runCommands(code)),
  'docs/guides/private-files.md js 1': async ({ code }) => expect(await runSdkProgram([code])).toContain('diary'),
  'docs/reference/private-file-format.md js 1': decryptsTheVector,
  'docs/reference/private-file-format.md json 1': isOpenedByTheSdk,
  ...s3ToolExamples,
  ...Object.fromEntries(
    Array.from({ length: 23 }, (_, index) => [`docs/reference/events.md json ${index + 1}`, isGeneratedSchema]),
  ),
}

const toolsOf: Record<string, string[]> = { sh: ['bash', 'curl'], python: ['python3'] }
const isMissing = (tool: string) => spawnSync(tool, ['--version']).error !== undefined

test.for(readExamples())('the example $name works verbatim', async (example, { skip }) => {
  const missing = (toolsOf[example.language] ?? []).filter(isMissing)
  skip(missing.length > 0, `not installed, and no requirement of the tests: ${missing}`)
  const run = runs[example.name]
  if (!run) throw new Error('No test knows this example. Say in examples.full.test.ts how it is executed')
  await run(example, skip)
})

test('every example has a test, and no test refers to a removed example', () => {
  expect(readExamples().map(({ name }) => name).toSorted()).toEqual(Object.keys(runs).toSorted()) // biome-ignore format: one chain
})

/** These commands set up a machine and take too long for a test. Fails unless CI runs exactly these commands. */
function ciRunsThese({ code }: DocExample) {
  const ci = readFileSync(new URL('../.ci/run', import.meta.url), 'utf8')
  const commands = new Set(code.trim().split(/\n| && /))
  expect([...commands]).toEqual(['npm ci --omit=dev', 'npm run demo', 'npm ci', 'npm test'])
  const ran = ci.replaceAll('npm run "$tests"', `npm ${/^tests=\$\{1:-(.+)\}$/m.exec(ci)?.[1]}`)
  for (const command of commands) expect(ran).toMatch(new RegExp(`run \\d+ ${command}( |$)`, 'm'))
}

/** Prints every shown response, in the same order. */
async function walk(script: string) {
  await using _turn = await asFirstUser()
  const printed = await runShellExample(script, sharedStack().gatewayUrls[0] as string)
  let from = 0
  for (const { shown, pattern } of answersOf(script)) {
    const found = printed.findIndex((line, index) => index >= from && pattern.test(line))
    expect(found, `${shown}\nis none of\n${printed.slice(from).join('\n')}`).toBeGreaterThanOrEqual(from)
    from = found + 1
  }
}

/** A delivery as a receiver receives it. */
async function delivery(client: ApiClient) {
  await using receiver = await startReceiver()
  const { id, secret } = await createWebhook(client, receiver, ['file.hot'])
  await client.post(`/api/webhooks/${id}/test`)
  const { body, headers } = receiver.requests[0] as (typeof receiver.requests)[number]
  return { body, headers: headers as Record<string, string>, secret }
}

/** Runs as a separate program, in a folder with `photo.jpg`. */
async function runsWithTheSdk({ code }: DocExample): Promise<void> {
  await runSdkProgram([code])
}

/** Runs after the first example of the tutorial and `before`. Fails unless the output matches. */
function printsWithTheSdk(printed: RegExp, ...before: string[]): Run {
  return async ({ code }) => {
    const pieces = ['docs/tutorials/first-upload.md js 1', ...before].map(exampleOf)
    expect(await runSdkProgram([...pieces, code])).toMatch(printed)
  }
}

async function runSdkProgram(
  pieces: string[],
  env: Record<string, string> = {},
  account = freshAccount(),
): Promise<string> {
  const { key } = await createKey(account)
  return await runSdkExample(pieces, { TIDEPORT_URL: sharedStack().gatewayUrls[0], TIDEPORT_API_KEY: key, ...env })
}

const webhookOfTheGuide = 'tideport webhooks create http://127.0.0.1:9/hook --event file.hot > hook.secret'
const vaultOfTheGuide = 'tideport vaults create Photos'

/** Shares a vault with a user called Ana, who has an identity. */
async function sharesAVault() {
  const { identity, recipient } = await createIdentity()
  const ana = `ANA=${recipient}; echo ${identity} > ana-identity.txt`
  const printed = await runCommands([ana, ...examplesOf('docs/guides/command-line.md sh', [3, 4])].join('\n'))
  expect(printed.match(/^Dear diary$/gm)).toHaveLength(2)
}

/** Runs commands with an API key in the environment, or with the variables in `own`. */
async function runCommands(script: string, own?: Record<string, string>): Promise<string> {
  const { key: KEY } = await createKey(freshAccount())
  const URL = sharedStack().gatewayUrls[0] as string
  return await runCommandLineExample(script, { KEY, URL, ...(own ?? { TIDEPORT_URL: URL, TIDEPORT_API_KEY: KEY }) })
}

async function movesFilesByCommands({ code }: DocExample) {
  const printed = await runCommands(`${code}\ncmp photo.jpg same.jpg && cmp album/cover.jpg copies/album/cover.jpg`)
  expect(printed).toMatch(/ok {2}[0-9a-f]{64} {2}2026\/beach\.jpg/)
}

async function receivesDeliveries({ code }: DocExample) {
  const { body, headers, secret } = await delivery(freshAccount())
  const ask = `server.once('listening', async () => {
    const url = 'http://127.0.0.1:' + server.address().port
    const { body, headers } = JSON.parse(process.env.DELIVERY)
    const answers = []
    for (const sent of [body, body, body + ' ']) answers.push(await fetch(url, { method: 'POST', headers, body: sent }))
    console.log('answered', answers.map(({ status }) => status))
    server.close()
  })`
  const given = {
    PORT: '0',
    WEBHOOK_SECRET: secret,
    DELIVERY: JSON.stringify({ body: String(body), headers: signatureOf(headers) }),
  }
  const printed = await runSdkExample([code, ask], given)
  expect(printed.match(/new: file\.hot/g)).toHaveLength(1)
  expect(printed).toContain('answered [ 204, 204, 401 ]')
}

/** The receiver rejects the first delivery if the example is about failed deliveries. */
function worksWithWebhooks(printed: RegExp, ...before: string[]): Run {
  return async ({ name, code }: DocExample) => {
    await using receiver = await startReceiver({ respond: [{ status: name.endsWith('js 3') ? 500 : 200 }] })
    const pieces = ['docs/tutorials/first-upload.md js 1', ...before].map(exampleOf)
    expect(await runSdkProgram([...pieces, code], { RECEIVER_URL: receiver.url })).toMatch(printed)
  }
}

async function exportsToABucket({ code }: DocExample) {
  await using own = await ownBucket()
  const { key: TIDEPORT_API_KEY } = await createKey(freshAccount())
  const given = { TIDEPORT_URL: sharedStack().gatewayUrls[0] as string, TIDEPORT_API_KEY, ...own.asVariables }
  expect(await runCommandLineExample(code, given)).toMatch(/ exported to s3:\/\/.*\/backups\/export-/)
}

async function copiesABucket({ code }: DocExample) {
  const { s3 } = sharedStack()
  const BUCKET = `photos-${crypto.randomUUID()}`
  const store = openHotTier(sharedStack())
  await store.send(new CreateBucketCommand({ Bucket: BUCKET }))
  const put = (Key: string, text: string, Metadata = {}) =>
    store.send(
      new PutObjectCommand({ Bucket: BUCKET, Key, Body: Buffer.from(text), Metadata, ContentType: 'text/plain' }),
    )
  await put('2026/notes/a.txt', 'hello', { colour: 'red' })
  await put('empty', '')
  await put('folder/', '')
  const keys = { AWS_ACCESS_KEY_ID: s3.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.secretAccessKey }
  const account = freshAccount()
  const env = { BUCKET, AWS_REGION: s3.region, AWS_ENDPOINT_URL_S3: s3.endpoint, ...keys }
  const printed = await runSdkProgram([code], env, account)
  expect(printed).toContain('2 copied, 0 failed')
  const vaultId = /VAULT_ID=(\S+)/.exec(printed)?.[1] as string
  const { files } = (await account.get<{ files: FileRecord[] }>(`/api/files?vaultId=${vaultId}&sort=path`)).body
  const found = files.map(({ path, sizeBytes, mimeType, metadata }) => ({ path, sizeBytes, mimeType, metadata }))
  const text = { mimeType: 'text/plain' }
  expect(found.toSorted((a, b) => a.sizeBytes - b.sizeBytes)).toEqual([
    { path: 'empty', sizeBytes: 0, ...text, metadata: {} },
    { path: '2026/notes/a.txt', sizeBytes: 5, ...text, metadata: { colour: 'red' } },
  ])
}

const signatureOf = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-')))

function readsDeliveries(name: 'isSigned' | 'readEvent'): Run {
  return async ({ code }) => {
    // Resolved from here, so that the example can import installed packages.
    const source = code.replace("'standardwebhooks'", `'${import.meta.resolve('standardwebhooks')}'`)
    const example = await import(`data:text/javascript,${encodeURIComponent(source)}`)
    const { body, headers, secret } = await delivery(freshAccount())
    const other = Buffer.from(`${body} `)
    if (name === 'readEvent') {
      expect(example.readEvent(body, headers, secret)).toEqual(JSON.parse(String(body)))
      expect(() => example.readEvent(other, headers, secret)).toThrow()
      return
    }
    const signature = headers['x-service-signature']
    expect(example.isSigned(body, signature, secret)).toBe(true)
    const forged = [[other, signature, secret], [body, signature, `${secret}x`], [body, 'abc', secret], [body, undefined, secret]] // biome-ignore format: a table
    for (const given of forged) expect(example.isSigned(...given)).toBe(false)
  }
}

async function readsDeliveriesInPython({ code }: DocExample) {
  const { body, headers, secret } = await delivery(freshAccount())
  const asked = [[body, headers['x-service-signature'], secret], [`${body} `, headers['x-service-signature'], secret], [body, 'ü', secret]] // biome-ignore format: a table
  const harness =
    'import json, sys\nprint(json.dumps([is_signed(b.encode(), s, k) for b, s, k in json.load(sys.stdin)]))'
  const input = JSON.stringify(asked.map(([bytes, ...rest]) => [String(bytes), ...rest]))
  const answer = execFileSync('python3', ['-c', `${code}\n${harness}`], { input, encoding: 'utf8' })
  expect(JSON.parse(answer)).toEqual([true, false, false])
}

/** Fails unless the example is the file on which `new-network.test.ts` runs the suite of all drivers. */
function isTestedAsDriver({ code }: DocExample) {
  const driver = new URL('../packages/storage-network/test/new-network/directory-network.ts', import.meta.url)
  expect(code).toBe(readFileSync(driver, 'utf8'))
}

/** The check compares the generated page. This test requires valid schemas, and fixtures that exist. */
function isGeneratedSchema({ code }: DocExample) {
  expect(JSON.parse(code)).toMatchObject({ type: 'object', properties: expect.any(Object) })
  const page = readFileSync(new URL('../docs/reference/events.md', import.meta.url), 'utf8')
  const fixtures = [...page.matchAll(/`(packages\/contracts\/test\/fixtures\/[^`]+)`/g)].map(
    ([, path]) => path as string,
  )
  expect(fixtures).toHaveLength(18)
  for (const path of fixtures) expect(existsSync(new URL(`../${path}`, import.meta.url)), path).toBe(true)
}
