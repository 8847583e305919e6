import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { listenOnLoopback } from './loopback-server.ts'

/**
 * Effect on bytes and connections: `pass` forwards all · `delay` delays each chunk · `blackhole` accepts connections
 * and drops all bytes · `mute` forwards all bytes to the target, but only `afterChunks` more chunks back · `reset`
 * resets new connections.
 */
export type Weather =
  | { kind: 'pass' | 'blackhole' | 'reset' }
  | { kind: 'delay'; delayMs: number }
  | { kind: 'mute'; afterChunks: number }

export async function startChaosProxy(target: { host?: string; port: number }) {
  const pairs = new Set<[Socket, Socket]>()
  let weather: Weather = { kind: 'pass' }

  const server = createServer((inbound) => {
    if (weather.kind === 'reset') {
      inbound.resetAndDestroy()
      return
    }
    const outbound = connect(target.port, target.host ?? '127.0.0.1')
    const pair: [Socket, Socket] = [inbound, outbound]
    pairs.add(pair)
    outbound.on('error', () => inbound.resetAndDestroy())
    inbound.on('error', () => outbound.destroy())
    for (const end of pair) end.on('close', () => pairs.delete(pair))
    void forward(inbound, outbound, () => weather)
    void forward(outbound, inbound, () => {
      if (weather.kind !== 'mute') return weather
      return { kind: weather.afterChunks-- > 0 ? 'pass' : 'blackhole' }
    })
  })
  const port = await listenOnLoopback(server)

  function cut() {
    for (const end of [...pairs].flat()) end.resetAndDestroy()
  }

  async function dispose() {
    cut()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }

  return {
    host: '127.0.0.1',
    port,
    connections: () => pairs.size,
    setWeather(next: Weather) {
      weather = next
    },
    cut,
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}

/** Reads the weather before each chunk, and waits for the receiver, so that memory use stays constant. */
async function forward(from: Socket, to: Socket, weather: () => Weather) {
  try {
    for await (const chunk of from) {
      const now = weather()
      if (now.kind === 'delay') await delay(now.delayMs)
      if (now.kind === 'blackhole') continue
      if (!to.write(chunk)) await once(to, 'drain')
    }
    to.end()
  } catch {
    to.destroy()
  }
}
