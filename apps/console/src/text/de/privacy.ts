import type { Text } from '../en.ts'

export const dePrivacy: Text['privacy'] = {
  title: (vault) => `Schlüssel von ${vault}`,
  lead: 'Dateien eines privaten Tresors werden hier, in Ihrem Browser, ver- und entschlüsselt. Der Dienst bekommt den Schlüssel nie.',
  toFiles: 'Zu den Dateien',
  notPrivate: 'Dieser Tresor ist öffentlich',
  notPrivateText: 'Seine Dateien sind nicht verschlüsselt, also gibt es keinen Schlüssel.',
  notPrivateAnyMore:
    'Der Tresor hat einen Schlüssel oder enthält verschlüsselte Dateien, er war also privat, und das ändert sich nicht. Legen Sie nichts hinein: Der Dienst meldet etwas anderes als zuvor.',
  insecure: 'Diese Seite ist nicht verschlüsselt',
  insecureText:
    'Browser verschlüsseln nur auf Seiten, die über https kommen. Fragen Sie den Betreiber dieser Installation.',
  createTitle: 'Den Schlüssel anlegen',
  createText:
    'Ein Schlüssel öffnet alle Dateien dieses Tresors. Er wird mit Ihrer Passphrase versiegelt, als age-Datei.',
  lossTitle: 'Niemand kann helfen, wenn Sie ihn verlieren.',
  lossText:
    'Ohne Passphrase und Wiederherstellungsdatei kann niemand die Dateien je wieder lesen: weder Sie noch wir noch der Betreiber. Bewahren Sie beide bei Ihren Sicherungen auf, getrennt voneinander.',
  passphrase: 'Passphrase',
  passphraseHint: 'Mindestens 12 Zeichen; mehrere Wörter sind besser als eines.',
  again: 'Passphrase, noch einmal',
  tooShort: (length) => `Sie muss mindestens ${length} Zeichen haben.`,
  twoPassphrases: 'Das sind zwei verschiedene.',
  suggest: 'Eine vorschlagen',
  suggested: (passphrase) => `Zum Beispiel: ${passphrase}. Schreiben Sie sie auf, und geben Sie sie oben ein.`,
  understood: 'Ich bewahre Passphrase und Wiederherstellungsdatei auf. Ohne sie sind die Dateien verloren.',
  create: 'Schlüssel anlegen',
  failed: 'Der Schlüssel konnte nicht angelegt werden. Vielleicht fehlt dem Browser Speicher.',
  hasKey: 'Inzwischen gibt es einen Schlüssel für diesen Tresor. Laden Sie die Seite neu und öffnen Sie ihn damit.',
  haveKey: 'Es gibt für diesen Tresor schon einen Schlüssel',
  unlockTitle: 'Den Tresor öffnen',
  unlockText: 'Dieser Browser hat den Schlüssel des Tresors, versiegelt.',
  unlockByFile:
    'Dateien dieses Tresors sind verschlüsselt. Ihr Schlüssel steht in der Wiederherstellungsdatei, die damals gespeichert wurde.',
  keyFile: 'Wiederherstellungsdatei',
  keyFileHint: 'Sie endet auf .age. Sie wird hier gelesen und nirgendwohin geschickt.',
  secret: 'Passphrase oder Identität',
  secretHint: 'Eine Identität, AGE-SECRET-KEY-1…, wenn jemand anderes die Datei für Sie gemacht hat.',
  otherFile: 'Andere Datei verwenden',
  unlock: 'Tresor öffnen',
  wrongSecret: 'Das öffnet ihn nicht, oder es ist der Schlüssel eines anderen Tresors.',
  openTitle: 'Der Tresor ist offen',
  openText:
    'Nur in diesem Tab, bis Sie ihn abschließen, sich abmelden, den Tab schließen oder eine Viertelstunde nichts tun.',
  madeText: 'Der Schlüssel ist angelegt. Speichern Sie jetzt die Wiederherstellungsdatei: Nur dieser Browser hat sie.',
  savedText:
    'Die Wiederherstellungsdatei liegt bei Ihren Downloads. Bewahren Sie sie bei Ihren Sicherungen auf, getrennt von der Passphrase.',
  haveRecovery: 'Ich habe die Datei',
  saveLater: 'Später',
  unsavedTitle: 'Die Wiederherstellungsdatei ist nicht gespeichert',
  unsavedText: (vault) =>
    `Ohne Wiederherstellungsdatei lassen sich die Dateien von ${vault} auf keinem anderen Gerät entschlüsseln, und auch hier nicht mehr, sobald die Browserdaten gelöscht sind. Speichern Sie die Datei jetzt.`,
  lock: 'Abschließen',
  saveRecovery: 'Wiederherstellungsdatei speichern',
  recoveryHint:
    'Sie lässt sich mit Ihrer Passphrase hier öffnen, auf der Befehlszeile und mit jedem Programm, das age kennt.',
  passkeyTitle: 'Passkey',
  passkeyText:
    'Öffnen Sie den Tresor in diesem Browser mit Finger, Gesicht oder PIN anstelle der Passphrase. Sie werden zweimal gefragt: um den Passkey anzulegen und um ihn zu verwenden.',
  passkeyKept: 'Ein Passkey öffnet diesen Tresor in diesem Browser.',
  passkeyLoss:
    'Er ist ein zweiter Weg, nie der einzige: Geht der Passkey verloren, öffnen Wiederherstellungsdatei und Passphrase den Tresor weiterhin, und sonst nichts. Bewahren Sie beide auf. Wer Ihre Passkeys verwenden kann, kann ihn ebenfalls öffnen.',
  addPasskey: 'Passkey hinzufügen',
  savePasskeyFile: 'Seine Datei für andere Browser speichern',
  forgetPasskey: 'Hier vergessen',
  openByPasskey: 'Mit einem Passkey öffnen',
  passkeyNoPrf:
    'Dieser Passkey kann keine Schlüssel öffnen: Worin er liegt, kennt die Erweiterung PRF nicht. Entfernen Sie ihn aus Ihren Passkeys, und nehmen Sie ein anderes Gerät oder einen anderen Passwortmanager.',
  passkeyDeclined: 'Es wurde kein Passkey verwendet.',
  passkeyWrong: 'Der Passkey öffnet ihn nicht.',
  shareTitle: 'Den Schlüssel teilen',
  shareText:
    'Wer ihn bekommt, liest alle Dateien des Tresors, an die er herankommt, und vergisst ihn nicht wieder. Die Datei wird mit der eigenen Identität geöffnet.',
  recipient: 'Empfänger',
  recipientHint: 'Er wird mit age-keygen gemacht und beginnt mit age1.',
  recipientWrong: 'Das ist kein Empfänger.',
  share: 'Datei dafür speichern',
  lockedTitle: 'Diese Datei ist verschlüsselt',
  lockedText: 'Öffnen Sie ihren Tresor, um sie zu sehen und so zu speichern, wie sie war.',
  byService:
    'Diese Datei ist nicht verschlüsselt, obwohl ihr Tresor privat ist: Der Dienst hat sie geschrieben, oder wer ihn in der Hand hat.',
  saving: 'Wird gespeichert',
  saveEncrypted: 'So speichern, wie sie liegt',
  tooLarge: (size) =>
    `In diesem Browser darf keine Seite Dateien schreiben, deshalb lassen sich höchstens ${size} entschlüsselt speichern. Nehmen Sie einen Browser wie Chrome oder Edge oder die Befehlszeile.`,
  notSaved: 'Sie konnte nicht entschlüsselt und gespeichert werden.',
}
