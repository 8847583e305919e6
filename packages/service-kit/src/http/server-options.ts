/** What every HTTP server of ours is built with: the gateway must not take what a service would refuse. */
export const serverOptions = {
  logger: false,
  trustProxy: false,
  bodyLimit: 64 * 1024,
  requestTimeout: 30_000,
  keepAliveTimeout: 75_000,
  forceCloseConnections: 'idle',
  return503OnClosing: false,
  // Node's own refusal has no body; refuseBadHeaders asks for it.
  http: { requireHostHeader: false },
  routerOptions: { maxParamLength: 512 },
} as const
