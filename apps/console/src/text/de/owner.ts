import type { Text } from '../en.ts'

export const deOwner: Text['owner'] = {
  title: 'Eigentümer',
  usePasskey: 'Mit Passkey anmelden',
  recoveryCode: 'Wiederherstellungscode',
  recoveryCodeHint: 'Nach jeder Verwendung erhalten Sie einen neuen Code.',
  useRecoveryCode: 'Mit Code anmelden',
  noPasskey: 'Es wurde kein Passkey verwendet. Versuchen Sie es erneut, oder verwenden Sie den Wiederherstellungscode.',
  passkeysElsewhere: (origin) =>
    origin === null
      ? 'Unter der Adresse dieser Installation funktionieren keine Passkeys: Sie brauchen einen Hostnamen und außer auf localhost https.'
      : `Passkeys funktionieren nur unter ${origin}.`,
  codeTitle: 'Wiederherstellungscode',
  codeText:
    'Bewahren Sie diesen Code sicher auf. Mit ihm können Sie sich einmal anmelden, wenn Sie Ihre Passkeys verlieren. Er wird nicht noch einmal angezeigt.',
  setUpTitle: 'Tideport einrichten',
  setUpLead: 'Legen Sie den Eigentümer dieser Installation an.',
  linkBad:
    'Der Link ist ungültig, oder die Installation ist bereits eingerichtet. Einen neuen Link erhalten Sie auf dem Server mit „operator set-up-link“.',
  howTitle: 'Wie möchten Sie sich anmelden?',
  howText:
    'Ein Passkey verwendet Ihren Fingerabdruck, Ihr Gesicht oder eine PIN. Sie erhalten auch einen Wiederherstellungscode.',
  createPasskey: 'Passkey erstellen',
  onlyCode: 'Nur den Wiederherstellungscode verwenden',
  firstPasskey: 'Erster Passkey',
  manage: 'Passkeys und Wiederherstellungscode',
  passkeysTitle: 'Passkeys',
  passkeysLead:
    'Mit jedem dieser Passkeys melden Sie sich als Eigentümer an. Fügen Sie für jedes Ihrer Geräte einen hinzu.',
  noPasskeys: 'Noch keine Passkeys',
  noPasskeysText: 'Sie können sich nur mit dem Wiederherstellungscode anmelden.',
  addPasskey: 'Passkey hinzufügen',
  nameHint: 'Beschreiben Sie das Gerät, zum Beispiel „Laptop“.',
  notCreated: 'Es wurde kein Passkey erstellt. Vielleicht hat Ihr Gerät bereits einen für diese Installation.',
  renamePasskey: 'Umbenennen',
  renameTitle: (name) => `${name} umbenennen`,
  deletePasskey: 'Löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteText:
    'Mit diesem Passkey können Sie sich nicht mehr anmelden. Bestehende Sitzungen beenden Sie, indem Sie sie auf der Seite API-Schlüssel widerrufen.',
  deleted: (name) => `${name} gelöscht`,
  codeHint:
    'Mit dem Wiederherstellungscode melden Sie sich einmal an, wenn Sie Ihre Passkeys verlieren. Jede Verwendung ersetzt den Code.',
  replaceCode: 'Code ersetzen',
  replaceTitle: 'Wiederherstellungscode ersetzen?',
  replaceText: 'Der bisherige Code funktioniert dann nicht mehr. Der neue Code wird einmal angezeigt.',
}
