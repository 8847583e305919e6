import { createPrincipalSigner } from '@tideport/service-kit/http/principal-token'
import { serveHttp } from '@tideport/service-kit/http/serve-http'
import { defineService } from '@tideport/service-kit/process/service'
import { createApp } from './app.ts'
import { isDevelopment, settings } from './config.ts'
import { openBucket } from './forwarding/forward-bucket.ts'
import { createForward } from './forwarding/proxy.ts'
import { createAuthClient } from './identity/auth-client.ts'
import { createCredentialWatch } from './identity/credential-watch.ts'
import { createIdentity } from './identity/identity.ts'
import { createAdmission } from './limits/admission.ts'
import { createKnownHosts } from './limits/known-hosts.ts'
import { createStreamSlots } from './limits/stream-slots.ts'
import { signInOf } from './site/sign-in.ts'
import { countHung, createUpstream, type UpstreamOptions } from './upstream/upstream.ts'

export const gateway = defineService({
  name: 'gateway',
  calls: ['auth', 'files', 'webhooks'],
  settings,
  async start(context) {
    const { config, log, metrics, health, stack, signal } = context
    if (isDevelopment(config.serviceEnv)) {
      log.warn({ host: config.host }, 'DEVELOPMENT MODE IS ON: anyone who reaches this port may act as any account')
    }
    const { streamsMax } = config
    const open = (options: Pick<UpstreamOptions, 'name' | 'urls' | 'streamsMax'>) =>
      stack.use(createUpstream({ ...options, direct: context.direct.serverOf(options.name), log, metrics }))
    const upstreams = {
      auth: open({ name: 'auth', urls: config.authUrl }),
      files: open({ name: 'files', urls: config.filesUrl, streamsMax }),
      webhooks: open({ name: 'webhooks', urls: config.webhooksUrl }),
    }
    for (const [name, upstream] of Object.entries(upstreams)) health.dependency(name, upstream.isReachable)
    countHung(metrics, upstreams)

    const sign = createPrincipalSigner({ privateKey: config.identityTokenPrivateKey })
    const auth = createAuthClient({ upstream: upstreams.auth, sign })
    const admission = createAdmission({
      ...createIdentity({ config, auth, log, metrics, stack, signal }),
      accountLimit: { perSecond: config.rateLimitPerSecond, burst: config.rateLimitBurst },
      anonymousLimit: { perSecond: config.rateLimitAnonymousPerSecond, burst: config.rateLimitAnonymousBurst },
      trustedProxies: config.trustedProxies,
      log,
      metrics,
      monotonicNow: () => performance.now(),
    })
    const takeStreamSlot = createStreamSlots({ ...config, log, metrics })
    const watch = stack.use(createCredentialWatch({ ...config, auth }))
    const forward = createForward({ upstreams, sign, takeStreamSlot, watch, ...config })
    const openStore = (url: string) => open({ name: 'object_storage', urls: [url], streamsMax })
    const bucket = openBucket(config.forwardedBucketUrl, openStore, { takeStreamSlot, watch, ...config })
    // Loaded only where it is used, because it brings many modules.
    const hasS3Api = config.s3ApiPort !== undefined || config.s3ApiHosts.length > 0
    const s3Api = hasS3Api ? await import('./s3/serve-s3-api.ts') : null
    const s3 = s3Api?.openS3Api(config, {
      upstream: upstreams.files,
      sign,
      admission,
      takeStreamSlot,
      watch,
      log,
      metrics,
      signal,
    })
    if (s3) stack.use(s3)
    const assertKnownHost = isDevelopment(config.serviceEnv) ? createKnownHosts(config) : null
    const app = stack.use(
      createApp({
        ...config,
        signIn: signInOf(config),
        assertKnownHost,
        admission,
        forward,
        bucket,
        s3: s3 && config.s3ApiHosts.length > 0 ? { hosts: config.s3ApiHosts, app: s3 } : null,
        health,
        log,
        metrics,
        signal,
      }),
    )
    if (s3) await s3Api?.serveS3Api(s3, context)
    await serveHttp(app, context)
  },
})
