import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  CreateBucketCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { goClients, pythonClients } from './support/client-programs.ts'
import { runWell } from './support/run-program.ts'
import { awsVariables, clientSettings, newS3Account } from './support/s3-account.ts'

const pins = fileURLToPath(new URL('../../tools/s3-clients/', import.meta.url))

/** Commands of aws-cli. `$aws` is the program. */
const awsCommands = `
$aws configure set default.s3.signature_version s3v4 # by default, version 1 signs URLs with SigV2
$aws s3 mb s3://photos
mkdir -p album/2026 && head -c 20000000 /dev/urandom > album/large.bin && echo sun > 'album/2026/sun & sea.txt' && : > album/empty
$aws s3 sync album s3://photos/album --no-progress
$aws s3 ls --recursive s3://photos | tee listed && test "$(wc -l < listed)" = 3
$aws s3 cp --no-progress s3://photos/album/large.bin same.bin && cmp album/large.bin same.bin
$aws s3 mv --no-progress 's3://photos/album/2026/sun & sea.txt' s3://photos/sea.txt
$aws s3 cp --no-progress s3://photos/album/large.bin s3://photos/copy.bin
$aws s3api head-object --bucket photos --key copy.bin | tee head && grep -q '"ContentLength": 20000000' head
echo piped | $aws s3 cp - s3://photos/piped.txt && test "$($aws s3 cp s3://photos/piped.txt -)" = piped
curl -sSf "$($aws s3 presign s3://photos/sea.txt)" | grep -qx sun
$aws s3 sync album s3://photos/album --no-progress --delete && rm -rf back && $aws s3 sync s3://photos/album back --no-progress && diff -r album back
$aws s3 rm --recursive s3://photos && $aws s3 rb s3://photos`

test.for(['aws-cli v1', 'aws-cli v2'])('%s stores, lists, copies, and deletes files', async (name, { skip }) => {
  const aws = name === 'aws-cli v1' ? await firstAws() : secondAws()
  if (aws === undefined) return skip(`${name} is not installed.`)
  await using directory = await createTemporaryDirectory('aws-cli')
  const account = await newS3Account()
  const env = {
    ...awsVariables(account),
    AWS_PAGER: '',
    HOME: directory.path,
    aws: `${aws} --endpoint-url ${account.endpoint}`,
  }
  await runWell('bash', ['-euo', 'pipefail', '-c', awsCommands], { cwd: directory.path, env, timeoutMs: 280_000 })
})

test('boto3 stores, lists, copies, and deletes objects', async ({ skip }) => {
  const packages = await pythonClients()
  if (packages === undefined) return skip('boto3 cannot be installed.')
  const env = awsVariables(await newS3Account())
  await runWell(join(packages, 'bin/python'), [join(pins, 'round_trip.py'), 'boto3'], { env })
})

test('the AWS SDK for Go stores, lists, and deletes objects', async ({ skip }) => {
  const programs = await goClients()
  if (programs === undefined) return skip('The program cannot be built. It needs Go and a module proxy.')
  const account = await newS3Account()
  await runWell(join(programs, 'roundtrip'), [account.endpoint, 'go-sdk'], { env: awsVariables(account) })
})

test('the AWS SDK for JavaScript stores and lists objects', async () => {
  const client = new S3Client(clientSettings(await newS3Account()))
  const Bucket = 'js-sdk'
  await client.send(new CreateBucketCommand({ Bucket }))
  const sent = { empty: Buffer.alloc(0), 'folder/ünïcode + & %.txt': Buffer.from('tideport') }
  for (const [Key, Body] of Object.entries(sent)) {
    await client.send(new PutObjectCommand({ Bucket, Key, Body, Metadata: { origin: 'here' } }))
    const got = await client.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }))
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(Body)
    expect(got.Metadata).toEqual({ origin: 'here' })
  }
  const keys: (string | undefined)[] = []
  for await (const { Contents } of paginateListObjectsV2({ client, pageSize: 1 }, { Bucket })) {
    keys.push(...(Contents ?? []).map(({ Key }) => Key))
  }
  expect(keys).toEqual(Object.keys(sent))
  client.destroy()
})

test('s3cmd stores, lists, and deletes files', async ({ skip }) => {
  const packages = await pythonClients()
  if (packages === undefined) return skip('s3cmd cannot be installed.')
  await using directory = await createTemporaryDirectory('s3cmd')
  const { accessKeyId, secretAccessKey, endpoint } = await newS3Account()
  const { host } = new URL(endpoint)
  const settings = `[default]\naccess_key = ${accessKeyId}\nsecret_key = ${secretAccessKey}\nhost_base = ${host}\nhost_bucket = ${host}/%(bucket)\nuse_https = False\nmultipart_chunk_size_mb = 5\n`
  await writeFile(join(directory.path, 's3cfg'), settings, { mode: 0o600 })
  const s3cmd = `${packages}/bin/python ${packages}/bin/s3cmd --config s3cfg --no-progress`
  const commands = `
${s3cmd} mb s3://photos
mkdir album && head -c 12000000 /dev/urandom > album/large.bin && echo sun > 'album/sun & sea.txt'
${s3cmd} sync album s3://photos && ${s3cmd} ls -r s3://photos | tee listed && test "$(wc -l < listed)" = 2
${s3cmd} info s3://photos/album/large.bin
${s3cmd} get s3://photos/album/large.bin copy.bin && cmp copy.bin album/large.bin
${s3cmd} del -r -f s3://photos && ${s3cmd} rb s3://photos`
  await runWell('bash', ['-euo', 'pipefail', '-c', commands], { cwd: directory.path, env: { HOME: directory.path } })
})

async function firstAws(): Promise<string | undefined> {
  const packages = await pythonClients()
  return packages && `${packages}/bin/python -m awscli`
}

/** Debian's package, or a later release at the same place. */
function secondAws(): string | undefined {
  const path = '/usr/bin/aws'
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  return stdout?.startsWith('aws-cli/2') ? path : undefined
}
