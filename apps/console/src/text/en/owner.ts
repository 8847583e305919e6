export const enOwner = {
  title: 'Owner',
  usePasskey: 'Sign in with passkey',
  recoveryCode: 'Recovery code',
  recoveryCodeHint: 'You get a new code after each use.',
  useRecoveryCode: 'Sign in with code',
  noPasskey: 'No passkey was used. Try again, or use the recovery code.',
  passkeysElsewhere: (origin: string | null) =>
    origin === null
      ? 'Passkeys do not work at the address of this installation: they need a host name, and https except on localhost.'
      : `Passkeys work only at ${origin}.`,
  codeTitle: 'Recovery code',
  codeText: 'Keep this code in a safe place. It signs you in once if you lose your passkeys. It is not shown again.',
  setUpTitle: 'Set up Tideport',
  setUpLead: 'Create the owner of this installation.',
  linkBad:
    'The link is not valid, or this installation has been set up. For a new link, run “operator set-up-link” on the server.',
  howTitle: 'How do you want to sign in?',
  howText: 'A passkey uses your fingerprint, face, or PIN. In both cases, you also get a recovery code.',
  createPasskey: 'Create passkey',
  onlyCode: 'Use only the recovery code',
  firstPasskey: 'First passkey',
}
