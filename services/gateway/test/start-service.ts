import { spawnProgram } from '@tideport/testing/spawn-program'

const services = new URL('../../', import.meta.url)

/** A real service process on free loopback ports. */
export function spawnService(name: string, env: Record<string, string>) {
  return spawnProgram(new URL(`${name}/src/main.ts`, services), {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    CONNECTION_DRAIN_SECONDS: '0',
    ...env,
  })
}

/** Like `spawnService`, but resolves when the service listens. */
export async function startService(name: string, env: Record<string, string>) {
  const program = spawnService(name, env)
  const [url, adminUrl] = await Promise.all([program.url(), program.adminUrl()])
  return { ...program, url, adminUrl, port: Number(new URL(url).port) }
}
