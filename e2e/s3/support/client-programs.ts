import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDir } from '@tideport/dev-stack/binaries/cache-dir'
import { exists } from '@tideport/dev-stack/file-system/exists'
import { withFileLock } from '@tideport/dev-stack/processes/file-lock'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { runCommand } from '@tideport/dev-stack/processes/run-command'

const tools = fileURLToPath(new URL('../../../tools/', import.meta.url))
const pins = join(tools, 's3-clients')

/** Directory of `rclone`, `restic`, `roundtrip`, and `s3.test`, rclone's test of an S3 server. Undefined without Go or a module proxy. */
export const goClients = (): Promise<string | undefined> =>
  obtained(
    'clients',
    ['s3-clients/go.mod', 's3-clients/rclone/main.go', 's3-clients/roundtrip/main.go'],
    async (work) => {
      const programs = ['./rclone', './roundtrip', 'github.com/restic/restic/cmd/restic']
      await go('s3-clients', ['build', '-trimpath', '-o', `${work}/`, ...programs])
      await go('s3-clients', ['test', '-c', '-o', `${work}/s3.test`, 'github.com/rclone/rclone/backend/s3'])
    },
  )

/** Directory of `tofu`. Undefined without Go or a module proxy. */
export const openTofu = (): Promise<string | undefined> =>
  obtained('opentofu', ['opentofu/go.mod'], (work) => go('opentofu', ['build', '-trimpath', '-o', `${work}/`, 'tool']))

async function go(cwd: string, args: string[]): Promise<void> {
  const env = { ...hostEnvironment(), GOTOOLCHAIN: 'local', CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' }
  await runCommand('go', args, { env, cwd: join(tools, cwd), timeoutMs: 1_200_000 })
}

/** Directory of a Python environment with boto3, aws-cli v1, s3cmd, and pytest. Undefined without Python or a registry. */
export const pythonClients = (): Promise<string | undefined> =>
  obtained('python', ['s3-clients/requirements.txt'], async (work) => {
    const options = { env: hostEnvironment(), timeoutMs: 600_000 }
    await runCommand('python3', ['-m', 'venv', work], options)
    const install = ['install', '--quiet', '--disable-pip-version-check', '-r', join(pins, 'requirements.txt')]
    await runCommand(join(work, 'bin/python'), ['-m', 'pip', ...install], options)
  })

/** A checkout of ceph/s3-tests. Undefined if git cannot fetch the revision from `S3_TESTS`, a repository's URL or path. */
export const cephTests = (): Promise<string | undefined> =>
  obtained('s3-tests', ['s3-clients/s3-tests.txt'], async (work) => {
    const revision = (await readFile(join(pins, 's3-tests.txt'), 'utf8')).trim()
    const options = { env: { ...hostEnvironment(), GIT_TERMINAL_PROMPT: '0' }, timeoutMs: 120_000 }
    const repository = hostEnvironment().S3_TESTS ?? 'https://github.com/ceph/s3-tests'
    await runCommand('git', ['clone', '--quiet', '--no-checkout', repository, work], options)
    await runCommand('git', ['-C', work, 'checkout', '--quiet', revision], options)
  })

/** A cached directory whose name contains a hash of the pins, filled by `make`. Prints why it could not be filled. */
async function obtained(name: string, files: string[], make: (work: string) => Promise<void>) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(await readFile(join(tools, file)))
  const key = `s3-${name}-${hash.digest('hex').slice(0, 16)}-${process.platform}-${process.arch}`
  const directory = join(cacheDir(), 'bin', key)
  if (await exists(directory)) return directory
  await mkdir(join(cacheDir(), 'bin'), { recursive: true, mode: 0o755 })
  await withFileLock(`${directory}.lock`, async () => {
    if (!(await exists(directory))) await fill(directory, make)
  })
  return (await exists(directory)) ? directory : undefined
}

async function fill(directory: string, make: (work: string) => Promise<void>): Promise<void> {
  const work = await mkdtemp(`${directory}-`)
  try {
    await make(work)
    await rename(work, directory)
  } catch (error) {
    console.log(`Tests with ${directory} are skipped: ${(error as Error).message}`)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
