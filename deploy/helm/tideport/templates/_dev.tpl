{{/* A server in one pod with its own volume. Takes root, name, dev (its values), port, uid, mountPath, and main, init, and aside (containers as YAML). */}}
{{- define "tideport.devServer" -}}
{{- $root := .root }}{{- $labels := dict "root" .root "name" .name }}{{- $full := printf "%s-%s" (include "tideport.fullname" .root) .name }}
apiVersion: v1
kind: Service
metadata:
  name: {{ $full }}
  labels:
    {{- include "tideport.labels" $labels | nindent 4 }}
spec:
  selector:
    {{- include "tideport.selectorLabels" $labels | nindent 4 }}
  ports:
    {{- .ports | nindent 4 }}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ $full }}
  labels:
    {{- include "tideport.labels" $labels | nindent 4 }}
spec:
  serviceName: {{ $full }}
  replicas: 1
  selector:
    matchLabels:
      {{- include "tideport.selectorLabels" $labels | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "tideport.selectorLabels" $labels | nindent 8 }}
    spec:
      {{- $pod := deepCopy $root.Values.defaults }}
      {{- $_ := set $pod "podSecurityContext" (merge (dict "runAsUser" .uid "runAsGroup" .uid "fsGroup" .uid) $pod.podSecurityContext) }}
      {{- include "tideport.podBase" (dict "root" $root "pod" $pod) | nindent 6 }}
      terminationGracePeriodSeconds: 30
      {{- with .init }}
      initContainers:
        {{- . | nindent 8 }}
      {{- end }}
      containers:
        {{- .main | nindent 8 }}
        {{- with .aside }}
        {{- . | nindent 8 }}
        {{- end }}
      volumes:
        - {name: tmp, emptyDir: {}}
  volumeClaimTemplates:
    - apiVersion: v1
      kind: PersistentVolumeClaim
      metadata: {name: data}
      spec:
        accessModes: [ReadWriteOnce]
        {{- with .dev.storageClass }}
        storageClassName: {{ . | quote }}
        {{- end }}
        resources: {requests: {storage: {{ .dev.size }}}}
{{- end }}

{{/*
Keeps a value that an installation created or an operator changed. This needs `lookup`, so only dev uses it. Takes root, name, key,
and first: the initial value, by default a new password.
*/}}
{{- define "tideport.devSecret" -}}
{{- $found := lookup "v1" "Secret" .root.Release.Namespace (printf "%s-%s" (include "tideport.fullname" .root) .name) }}
{{- $old := get (default (dict) (default (dict) $found).data) .key }}
{{- if $old }}{{ b64dec $old }}{{ else }}{{ default (randAlphaNum 32) .first }}{{ end -}}
{{- end }}
