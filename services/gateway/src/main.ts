import { answersUnderWay } from '@tideport/service-kit/http/answers-under-way'
import { createDrain } from '@tideport/service-kit/http/drain-connections'
import { createPrincipalSigner } from '@tideport/service-kit/http/principal-token'
import { run } from '@tideport/service-kit/process/run'
import { createApp } from './app.ts'
import { hasOperators, isDevelopment, settings } from './config.ts'
import { createForward } from './forwarding/proxy.ts'
import { createAuthClient } from './identity/auth-client.ts'
import { createCredentialWatch } from './identity/credential-watch.ts'
import { createIdentity } from './identity/identity.ts'
import { createAdmission } from './limits/admission.ts'
import { createKnownHosts } from './limits/known-hosts.ts'
import { createStreamSlots } from './limits/stream-slots.ts'
import { signInOf } from './site/sign-in.ts'
import { countHung, createUpstream } from './upstream/upstream.ts'

await run('gateway', settings, process.env, async (context) => {
  const { config, log, metrics, health, stack, signal } = context
  if (isDevelopment(config.serviceEnv)) {
    log.warn({ host: config.host }, 'DEVELOPMENT MODE IS ON: anyone who reaches this port may act as any account')
  }
  const upstreams = {
    auth: stack.use(createUpstream({ name: 'auth', urls: config.authUrl, log, metrics })),
    files: stack.use(
      createUpstream({ name: 'files', urls: config.filesUrl, log, metrics, streamsMax: config.streamsMax }),
    ),
    webhooks: stack.use(createUpstream({ name: 'webhooks', urls: config.webhooksUrl, log, metrics })),
  }
  for (const [name, upstream] of Object.entries(upstreams)) health.dependency(name, upstream.isReachable)
  countHung(metrics, upstreams)

  const sign = createPrincipalSigner({ privateKey: config.identityTokenPrivateKey })
  const auth = createAuthClient({ upstream: upstreams.auth, sign })
  const admission = createAdmission({
    authenticate: createIdentity({ config, auth, log, metrics, stack, signal }),
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
  const assertKnownHost = isDevelopment(config.serviceEnv) ? createKnownHosts(config) : null
  const app = stack.use(
    createApp({
      ...config,
      signIn: signInOf(config),
      hasOperators: hasOperators(config),
      assertKnownHost,
      admission,
      forward,
      health,
      log,
      metrics,
      signal,
    }),
  )
  context.beforeStop(createDrain(app, config))
  context.letFinish(answersUnderWay(app, config))
  const address = await app.listen({ host: config.host, port: config.port })
  log.info({ address }, 'listening')
})
