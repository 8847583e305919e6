import { readFile } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { fileURLToPath } from 'node:url'

export type ServerName = 'nats-server' | 'versitygw'

/** What is known of a server program: how to name it, check it and get it. */
export type ServerTool = {
  name: ServerName
  /** The setting that names a binary of the operator's choice. */
  setting: string
  /** Lowest version that does; undefined where any that runs does. */
  minimumVersion?: readonly [number, number]
  /** The module whose version in `tools/<name>/go.mod` is the pinned one. */
  goModule: string
  /** The package that `go build` builds. */
  goPackage: string
  /** Below the address of the project's releases. */
  release: { path: string; checksums: string; archive: (version: string) => string }
  /** Whether `tools/<name>/requirements.txt` pins a Python package that holds the binary. */
  hasPipPackage: boolean
}

const goArch = { x64: 'amd64' }[arch() as string] ?? arch()
const unameArch = { x64: 'x86_64' }[arch() as string] ?? arch()
const unameSystem = platform() === 'darwin' ? 'Darwin' : 'Linux'

export const serverTools: Record<ServerName, ServerTool> = {
  'nats-server': {
    name: 'nats-server',
    setting: 'NATS_SERVER_BIN',
    minimumVersion: [2, 10],
    goModule: 'github.com/nats-io/nats-server/v2',
    goPackage: 'github.com/nats-io/nats-server/v2',
    release: {
      path: 'nats-io/nats-server/releases/download',
      checksums: 'SHA256SUMS',
      archive: (version) => `nats-server-${version}-${platform()}-${goArch}.tar.gz`,
    },
    hasPipPackage: true,
  },
  versitygw: {
    name: 'versitygw',
    setting: 'VERSITYGW_BIN',
    goModule: 'github.com/versity/versitygw',
    goPackage: 'github.com/versity/versitygw/cmd/versitygw',
    release: {
      path: 'versity/versitygw/releases/download',
      checksums: 'checksums.txt',
      archive: (version) => `versitygw_${version}_${unameSystem}_${unameArch}.tar.gz`,
    },
    hasPipPackage: false,
  },
}

/** `tools/<name>` of this checkout, where the pins are. */
export const pinsDir = (tool: ServerTool) => fileURLToPath(new URL(`../../../../tools/${tool.name}`, import.meta.url))

/** The pinned version, as `v1.2.3`. */
export async function pinnedVersion(tool: ServerTool): Promise<string> {
  const goMod = await readFile(`${pinsDir(tool)}/go.mod`, 'utf8')
  const line = goMod.split('\n').find((candidate) => candidate.trim().startsWith(`${tool.goModule} v`))
  if (line === undefined) throw new Error(`tools/${tool.name}/go.mod names no version of ${tool.goModule}.`)
  return line.trim().split(' ')[1] as string
}
