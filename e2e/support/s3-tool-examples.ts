import { existsSync } from 'node:fs'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { goClients, openTofu, pythonClients } from '../s3/support/client-programs.ts'
import { awsVariables, clientSettings, newS3Account } from '../s3/support/s3-account.ts'
import { createKey } from './account.ts'
import type { DocExample, RunExample, Skip } from './doc-examples.ts'
import { runCommandLineExample } from './run-command-line-example.ts'
import { freshAccount, sharedStack } from './shared-stack.ts'

const page = 'docs/guides/use-your-tools.md'

/** How each example of the page about S3 programs is executed. */
export const s3ToolExamples: Record<string, RunExample> = {
  [`${page} sh 1`]: createsCredentials,
  [`${page} sh 2`]: uses('python', (code) => `aws() { "$PYTHON" -m awscli "$@"; }\n${code}\ncmp cover.jpg album/cover.jpg`),
  [`${page} python 1`]: uses('python', (code) => `"$PYTHON" - <<'END' | tee printed\n${code}\nEND\ngrep -q "{'origin': 'billing'}" printed`),
  [`${page} sh 3`]: uses('go', (code) => code),
  [`${page} sh 4`]: usesAMount,
  [`${page} sh 5`]: uses('go', (code) => `${code}\ndiff -r album restored/album`),
  [`${page} sh 6`]: uses('go', (code) => code),
  [`${page} xml 1`]: uses('python', (code) => `"$PYTHON" -c 'import plistlib, sys; print(plistlib.load(sys.stdin.buffer)["Protocol"])' <<'END' | grep -qx s3\n${code}END`),
  [`${page} hcl 1`]: keepsState,
} // biome-ignore format: one script a line

async function createsCredentials({ code }: DocExample): Promise<void> {
  const { key } = await createKey(freshAccount())
  const given = { TIDEPORT_URL: sharedStack().gatewayUrls[0] as string, TIDEPORT_API_KEY: key }
  expect(JSON.parse(await runCommandLineExample(`${code}\ncat s3-key.json`, given)).s3.accessKeyId).toMatch(/^TP/)
}

/** Runs the script with the programs on PATH, Python in `PYTHON`, and the credentials of a new account. */
function uses(programs: 'go' | 'python', script: (code: string) => string): RunExample {
  return async ({ code }, skip) => {
    const directory = programs === 'go' ? await goClients() : await pythonClients()
    if (directory === undefined) return skip(`The programs of this example need ${programs} and its package registry.`)
    const PATH = `${directory}:${process.env.PATH}`
    const given = { ...awsVariables(await newS3Account()), PATH, PYTHON: `${directory}/bin/python` }
    await runCommandLineExample(script(code), given)
  }
}

async function usesAMount(example: DocExample, skip: Skip): Promise<void> {
  if (!existsSync('/dev/fuse') || !existsSync('/usr/bin/fusermount3')) return skip('A mount needs FUSE.')
  const run = uses('go', (code) => `${code}\nrclone cat tideport:desk/photo.jpg | cmp - photo.jpg`)
  await run(example, skip)
}

async function keepsState({ code }: DocExample, skip: Skip): Promise<void> {
  const programs = await openTofu()
  if (programs === undefined) return skip('OpenTofu cannot be built. It needs Go and a module proxy.')
  const account = await newS3Account()
  const client = new S3Client(clientSettings(account))
  await client.send(new CreateBucketCommand({ Bucket: 'infrastructure' }))
  client.destroy()
  const script = `cat > main.tf <<'END'\n${code}END\ntofu init && tofu apply -auto-approve && rm -r .terraform && tofu init && tofu output\ntofu state list | grep -qx terraform_data.greeting`
  await runCommandLineExample(script, { ...awsVariables(account), PATH: `${programs}:${process.env.PATH}` })
}
