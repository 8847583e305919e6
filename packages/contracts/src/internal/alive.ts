/**
 * Where every service answers the gateway on its API port, without a token, a log line or a look at anything: that its
 * process answers at all, whatever its requests wait for.
 */
export const alivePath = '/alive'
