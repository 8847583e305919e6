import { readFile } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { fileURLToPath } from 'node:url'

export type ServerName = 'nats-server' | 'versitygw' | 'ipfs'

export type ServerTool = {
  name: ServerName
  /** Name of the setting with the path of the operator's own binary. */
  setting: string
  /** Undefined if every version is accepted. */
  minimumVersion?: readonly [number, number]
  pins: string
  goModule: string
  goPackage: string
  /** Paths below the base URL of the releases. */
  release: {
    path: string
    archive: (version: string) => string
    checksums: (archive: string) => string
    algorithm: 'sha256' | 'sha512'
  }
  /** Whether `requirements.txt` in the pins directory pins a Python package that contains the binary. */
  hasPipPackage: boolean
}

const goArch = { x64: 'amd64' }[arch() as string] ?? arch()
const unameArch = { x64: 'x86_64' }[arch() as string] ?? arch()
const unameSystem = platform() === 'darwin' ? 'Darwin' : 'Linux'

export const serverTools: Record<ServerName, ServerTool> = {
  'nats-server': {
    name: 'nats-server',
    setting: 'NATS_SERVER_BIN',
    pins: 'nats-server',
    minimumVersion: [2, 10],
    goModule: 'github.com/nats-io/nats-server/v2',
    goPackage: 'github.com/nats-io/nats-server/v2',
    release: {
      path: 'nats-io/nats-server/releases/download',
      checksums: () => 'SHA256SUMS',
      algorithm: 'sha256',
      archive: (version) => `nats-server-${version}-${platform()}-${goArch}.tar.gz`,
    },
    hasPipPackage: true,
  },
  versitygw: {
    name: 'versitygw',
    setting: 'VERSITYGW_BIN',
    pins: 'versitygw',
    goModule: 'github.com/versity/versitygw',
    goPackage: 'github.com/versity/versitygw/cmd/versitygw',
    release: {
      path: 'versity/versitygw/releases/download',
      checksums: () => 'checksums.txt',
      algorithm: 'sha256',
      archive: (version) => `versitygw_${version}_${unameSystem}_${unameArch}.tar.gz`,
    },
    hasPipPackage: false,
  },
  ipfs: {
    name: 'ipfs',
    setting: 'KUBO_BIN',
    pins: 'kubo',
    minimumVersion: [0, 43],
    goModule: 'github.com/ipfs/kubo',
    goPackage: 'github.com/ipfs/kubo/cmd/ipfs',
    release: {
      path: 'ipfs/kubo/releases/download',
      checksums: (archive) => `${archive}.sha512`,
      algorithm: 'sha512',
      archive: (version) => `kubo_${version}_${platform()}-${goArch}.tar.gz`,
    },
    hasPipPackage: false,
  },
}

export const pinsDir = (tool: ServerTool) => fileURLToPath(new URL(`../../../../tools/${tool.pins}`, import.meta.url))

/** The pinned version, as `v1.2.3`. */
export const pinnedVersion = (tool: ServerTool) => pinOf(tool, `${tool.goModule} v`)

/** The minimum Go version for the build, as `1.2.3`. */
export const pinnedGo = (tool: ServerTool) => pinOf(tool, 'go ')

async function pinOf(tool: ServerTool, start: string): Promise<string> {
  const goMod = await readFile(`${pinsDir(tool)}/go.mod`, 'utf8')
  const line = goMod.split('\n').find((candidate) => candidate.trim().startsWith(start))
  if (line === undefined) throw new Error(`tools/${tool.pins}/go.mod has no version of ${start.split(' ')[0]}.`)
  return line.trim().split(' ')[1] as string
}
