import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { type Attempt, type Contender, curl, gzippedBytes, json, type Place, untilItWorks } from './contender.ts'

const peers: Record<string, Omit<Peer, 'program'>> = {
  weed: { name: 'SeaweedFS, weed mini', versionArgs: ['version'], attempt: weedMini },
  garage: { name: 'Garage, single node', versionArgs: ['--version'], attempt: garage },
  pocketbase: { name: 'PocketBase', versionArgs: ['--version'], attempt: pocketBase },
}

interface Peer {
  name: string
  program: string
  versionArgs: string[]
  attempt(program: string, place: Place): Promise<Attempt>
}

/** The peers whose programs are in `folder`: `weed`, `garage`, and `pocketbase`. */
export async function peersIn(folder: string): Promise<Contender[]> {
  const found = (await readdir(folder)).filter((name) => name in peers).toSorted()
  return await Promise.all(
    found.map(async (file) => {
      const { name, versionArgs, attempt } = peers[file] as (typeof peers)[string]
      const program = join(folder, file)
      const { stdout } = await promisify(execFile)(program, versionArgs)
      return {
        name,
        version: /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim(),
        attempt: (place: Place) => attempt(program, place),
        downloadBytes: () => gzippedBytes(program),
      }
    }),
  )
}

/** Without keys in the environment, everybody may read and write. */
async function weedMini(program: string, { file }: Place): Promise<Attempt> {
  const servers = ['master', 'volume', 'filer', 's3', 'webdav', 'admin']
  const ports = await Promise.all(servers.map(async (server) => [server, await freePort()] as const))
  const flags = ports.map(([server, port]) => `-${server}.port=${port}`)
  const url = `http://127.0.0.1:${Object.fromEntries(ports).filer}/first.txt`
  const alone = [
    '-ip=127.0.0.1',
    '-ip.bind=127.0.0.1',
    '-master.telemetry=false',
    '-s3.port.iceberg=0',
    '-s3.port.lance=0',
  ]
  return {
    commands: [{ command: program, args: ['mini', '-dir=data', ...alone, ...flags] }],
    async store() {
      await untilItWorks(() => curl('--upload-file', file, url))
      return [url]
    },
  }
}

/** Its quick start: a configuration file, and one command for server, layout, key, and bucket. */
async function garage(program: string, { file }: Place): Promise<Attempt> {
  const [rpc, s3] = [await freePort(), await freePort()]
  const config = `metadata_dir = "meta"
data_dir = "data"
replication_factor = 1
rpc_bind_addr = "127.0.0.1:${rpc}"
rpc_public_addr = "127.0.0.1:${rpc}"
rpc_secret = "${'1799bccfd7411edd'.repeat(4)}"
[s3_api]
s3_region = "garage"
api_bind_addr = "127.0.0.1:${s3}"
`
  const [key, secret] = [`GK${'0123456789ab'.repeat(2)}`, '0123456789abcdef'.repeat(4)]
  const env = { GARAGE_DEFAULT_ACCESS_KEY: key, GARAGE_DEFAULT_SECRET_KEY: secret, GARAGE_DEFAULT_BUCKET: 'first' }
  const url = `http://127.0.0.1:${s3}/first/first.txt`
  const signed = ['--aws-sigv4', 'aws:amz:garage:s3', '--user', `${key}:${secret}`]
  return {
    commands: [
      { command: 'sh', args: ['-c', `cat > garage.toml <<'END'\n${config}END`] },
      { command: program, args: ['-c', 'garage.toml', 'server', '--single-node', '--default-bucket'], env },
    ],
    async store() {
      await untilItWorks(() => curl(...signed, '--upload-file', file, url))
      return [...signed, url]
    },
  }
}

/** Its set-up page can also create the superuser. Then a collection needs a field for files. */
async function pocketBase(program: string, { file }: Place): Promise<Attempt> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/api`
  const [identity, password] = ['first@example.org', 'correct-horse']
  return {
    commands: [
      { command: program, args: ['superuser', 'upsert', identity, password, '--dir=pb_data'] },
      { command: program, args: ['serve', `--http=127.0.0.1:${port}`, '--dir=pb_data'] },
    ],
    async store() {
      const signIn = `${url}/collections/_superusers/auth-with-password`
      const { token } = JSON.parse(await untilItWorks(() => curl(...json({ identity, password }), signIn)))
      const signed = ['--header', `authorization: ${token}`]
      const fields = [{ name: 'file', type: 'file', maxSelect: 1 }]
      await curl(...signed, ...json({ name: 'files', type: 'base', viewRule: '', fields }), `${url}/collections`)
      const stored = await curl(...signed, '--form', `file=@${file}`, `${url}/collections/files/records`)
      const record: { id: string; file: string } = JSON.parse(stored)
      return [`${url}/files/files/${record.id}/${record.file}`]
    },
  }
}
