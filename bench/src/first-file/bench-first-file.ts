import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { dieWithParent } from '@tideport/dev-stack/processes/die-with-parent'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { median } from '../measure.ts'
import type { BenchOptions } from '../system/options.ts'
import { pssOfTree } from '../system/process-tree.ts'
import { type Command, type Contender, curl, type Place } from './contender.ts'
import { peersIn } from './peers.ts'
import { tideport } from './tideport.ts'

const ROUNDS = 3
const REST_MS = 30_000
const STOP_MS = 60_000
const LIMIT_SECONDS = 60
const TIMEOUT_MS = 900_000

/**
 * A newcomer's first minute: the commands and seconds from an empty home directory to a first file that another program
 * reads. A first round, which is not counted, downloads everything.
 */
export async function benchFirstFile({ peersDir }: BenchOptions): Promise<void> {
  await using cleanup = new AsyncDisposableStack()
  const root = await mkdtemp(join(tmpdir(), 'tideport-first-file-'))
  cleanup.defer(() => rm(root, { recursive: true, force: true }))
  const contenders = [tideport, ...(peersDir === undefined ? [] : await peersIn(peersDir))]
  const date = new Date().toISOString().slice(0, 10)
  console.log(`First file, ${date}, ${cpus().length} cores (${cpus()[0]?.model}), medians of ${ROUNDS} rounds\n`)
  console.log('| Program | Version | Commands | Seconds to a first file | MB of PSS at rest | MB to download |')
  console.log('|---|---|---|---|---|---|')
  for (const contender of contenders) {
    const figures: Figures[] = []
    const npmCache = join(root, 'npm-cache')
    for (let round = 0; round <= ROUNDS; round += 1) {
      const place = { folder: await mkdtemp(join(root, 'round-')), npmCache }
      const figure = await firstFile(contender, { ...place, file: join(place.folder, 'first.txt') })
      await rm(place.folder, { recursive: true, force: true })
      if (round > 0) figures.push(figure)
    }
    const seconds = median(figures.map((figure) => figure.seconds))
    const memory = megabytes(median(figures.map((figure) => figure.memory)))
    const { commands, downloadBytes } = figures[0] as Figures
    const { name, version } = contender
    console.log(`| ${[name, version, commands, seconds.toFixed(1), memory, megabytes(downloadBytes)].join(' | ')} |`)
    if (contender === tideport && (seconds > LIMIT_SECONDS || commands > 1)) {
      const taken = `${seconds.toFixed(1)} s and ${commands} commands`
      console.error(`Tideport took ${taken}. At most ${LIMIT_SECONDS} s and one command are allowed.`)
      process.exitCode = 1
    }
  }
}

interface Figures {
  commands: number
  seconds: number
  /** Proportional set size, which counts shared pages once. */
  memory: number
  downloadBytes: number
}

async function firstFile(contender: Contender, place: Place): Promise<Figures> {
  const home = join(place.folder, 'home')
  const logFile = join(place.folder, 'log')
  await mkdir(home)
  const text = crypto.randomUUID()
  await writeFile(place.file, text)
  const { commands, store } = await contender.attempt(place)
  const { PATH = '', ...host } = hostEnvironment()
  const cache = host.TIDEPORT_CACHE_DIR ? { TIDEPORT_CACHE_DIR: host.TIDEPORT_CACHE_DIR } : {}
  const env = { PATH: withoutModules(PATH), HOME: home, npm_config_cache: place.npmCache, ...cache }
  const startedAt = performance.now()
  for (const command of commands.slice(0, -1)) await (await start(command)).done
  const server = await start(commands.at(-1) as Command)
  try {
    const failed = server.done.then(() => Promise.reject(new Error('The server exited')))
    const late = delay(TIMEOUT_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('No file in time')))
    const read = await Promise.race([store(), failed, late])
    if ((await curl(...read)) !== text) throw new Error('Another program read other bytes')
    const seconds = (performance.now() - startedAt) / 1000
    failed.catch(() => {})
    await delay(REST_MS)
    const memory = await pssOfTree(server.pid)
    return { commands: commands.length, seconds, memory, downloadBytes: await contender.downloadBytes(place) }
  } catch (error) {
    throw new Error(`${contender.name}: ${(error as Error).message}\n${await readFile(logFile, 'utf8')}`)
  } finally {
    await server.stop()
  }

  /** The command has its own process group, like in a terminal. */
  async function start({ command, args, cwd = place.folder, env: own }: Command) {
    await using log = await open(logFile, 'a')
    const bound = dieWithParent(command, args, 'SIGTERM')
    const options = { cwd, env: { ...env, ...own }, detached: true }
    const child = spawn(bound.command, bound.args, { ...options, stdio: ['ignore', log.fd, log.fd] })
    await once(child, 'spawn')
    const pid = child.pid as number
    const exited = once(child, 'exit') as Promise<[number | null]>
    const done = exited.then(([code]) => {
      if (code !== 0) throw new Error(`${command} ${args[0]} exited with ${code}`)
    })
    done.catch(() => {})
    return {
      pid,
      done,
      /** As Ctrl-C does. */
      async stop() {
        if (child.exitCode !== null || child.signalCode !== null) return
        process.kill(-pid, 'SIGINT')
        const killing = setTimeout(() => process.kill(-pid, 'SIGKILL'), STOP_MS)
        await exited
        clearTimeout(killing)
      },
    }
  }
}

/** npm adds the programs of this checkout to the path. A newcomer does not have them. */
const withoutModules = (path: string): string =>
  path
    .split(':')
    .filter((folder) => !folder.includes('node_modules') && !folder.includes('node-gyp-bin'))
    .join(':')

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0)
