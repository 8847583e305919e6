import type { Config } from '@tideport/service-kit/config/config'
import { createDrain } from '@tideport/service-kit/http/drain-connections'
import { serveHttp } from '@tideport/service-kit/http/serve-http'
import type { RunContext } from '@tideport/service-kit/process/service'
import type { FastifyInstance } from 'fastify'
import type { settings } from '../config.ts'
import { createS3App, type S3AppDeps } from './s3-app.ts'

type GatewayConfig = Config<typeof settings.shape>

export function openS3Api(
  config: GatewayConfig,
  deps: Omit<S3AppDeps, 'region' | 'hosts' | 'streamStallSeconds'>,
): FastifyInstance {
  const { s3ApiHosts, s3ApiUrl, s3ApiRegion: region, streamStallSeconds } = config
  const hosts = [...s3ApiHosts, ...(s3ApiUrl === undefined ? [] : [new URL(s3ApiUrl).hostname])]
  return createS3App({ ...deps, region, hosts, streamStallSeconds })
}

/** Listens on the port of the S3 API. Without one, requests come from the server of the gateway. */
export async function serveS3Api(app: FastifyInstance, context: RunContext<GatewayConfig>): Promise<void> {
  const { config } = context
  if (config.s3ApiPort !== undefined) {
    return await serveHttp(app, { ...context, config: { ...config, port: config.s3ApiPort } })
  }
  context.beforeStop(createDrain(app, config))
  await app.ready()
}
