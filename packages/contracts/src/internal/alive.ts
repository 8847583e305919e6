/** Shows that a process is responsive. Every service handles this path without a token, a log line, or a dependency. */
export const alivePath = '/alive'
