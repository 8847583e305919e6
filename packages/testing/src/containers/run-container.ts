import { freePort } from '@tideport/dev-stack/ports/free-port'
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from 'testcontainers'

export interface ContainerOptions {
  image: string
  command: string[]
  env?: Record<string, string>
  port: number
  /** Of this machine; a free one when missing. */
  hostPort?: number | undefined
  /** Folders of this machine, by where the container sees them. Its user is then ours, so that we may remove them. */
  folders?: Record<string, string>
  tmpFs?: Record<string, string>
  /** A command in the container that succeeds once it serves. */
  probe: string[]
}

export interface ServerContainer extends AsyncDisposable {
  port: number
  exited: Promise<unknown>
  stop(): Promise<void>
  kill(): void
}

/** Published on loopback alone: the library would publish to everybody. */
class LoopbackContainer extends GenericContainer {
  protected override async beforeContainerCreated(): Promise<void> {
    for (const bindings of Object.values(this.hostConfig.PortBindings ?? {})) {
      for (const binding of bindings as { HostIp?: string }[]) binding.HostIp = '127.0.0.1'
    }
  }
}

export async function runContainer(options: ContainerOptions): Promise<ServerContainer> {
  const port = options.hostPort ?? (await freePort())
  const folders = Object.entries(options.folders ?? {})
  const container = new LoopbackContainer(options.image)
    .withCommand(options.command)
    .withEnvironment(options.env ?? {})
    .withExposedPorts({ container: options.port, host: port })
    .withBindMounts(folders.map(([target, source]) => ({ source, target })))
    .withTmpFs(options.tmpFs ?? {})
    .withHealthCheck({ test: ['CMD', ...options.probe], interval: 250, timeout: 2_000, retries: 240 })
    .withWaitStrategy(Wait.forHealthCheck())
  if (folders.length > 0) container.withUser(`${process.getuid?.()}:${process.getgid?.()}`)
  const started = await container.start()
  const exited = exitOf(started)
  let stopping: Promise<unknown> | undefined
  const stop = async () => {
    stopping ??= started.stop({ timeout: 10_000 })
    await stopping.catch(ignoreGone)
  }
  return {
    port,
    exited,
    stop,
    kill: () => void kill(started),
    [Symbol.asyncDispose]: stop,
  }
}

async function exitOf(started: StartedTestContainer): Promise<unknown> {
  const client = await getContainerRuntimeClient()
  return await client.container.getById(started.getId()).wait({ condition: 'not-running' }).catch(ignoreGone)
}

async function kill(started: StartedTestContainer): Promise<void> {
  const client = await getContainerRuntimeClient()
  await client.container.getById(started.getId()).kill().catch(ignoreGone)
}

function ignoreGone(error: { statusCode?: number }): void {
  if (error.statusCode !== 404 && error.statusCode !== 409) throw error
}
