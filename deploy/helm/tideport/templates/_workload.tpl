{{/* A Deployment of one component. Takes root, name, spec (of tideport.components) and values (merged). */}}
{{- define "tideport.workload" -}}
{{- $root := .root }}{{- $values := .values }}{{- $spec := .spec }}
{{- $labels := dict "root" $root "name" .name }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "tideport.fullname" $root }}-{{ .name }}
  labels:
    {{- include "tideport.labels" $labels | nindent 4 }}
spec:
  {{- if and (eq $values.autoscaling.mode "off") (not (kindIs "invalid" $values.replicas)) }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: {{ $values.revisionHistoryLimit }}
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxUnavailable: 0, maxSurge: 1}
  selector:
    matchLabels:
      {{- include "tideport.selectorLabels" $labels | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "tideport.podLabels" $labels | nindent 8 }}
        {{- if has "volume" $spec.needs }}
        tideport/network-volume: {{ $root.Release.Name }}
        {{- end }}
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "tideport.serviceAccountName" $root }}
      {{- include "tideport.podBase" (dict "root" $root "pod" $values) | nindent 6 }}
      {{- /* From one number: the process stops itself before the kubelet does. */}}
      terminationGracePeriodSeconds: {{ add $values.preStopSeconds $values.drainSeconds 10 }}
      {{- include "tideport.placement" . | nindent 6 }}
      {{- with $values.extraInitContainers }}
      initContainers:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .name }}
          image: {{ include "tideport.image" (dict "root" $root "image" $values.image) }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [{{ .name }}]
          env:
            {{- include "tideport.env" . | nindent 12 }}
          {{- with $values.extraEnvFrom }}
          envFrom:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
            {{- if $spec.port }}
            - {name: http, containerPort: {{ $spec.port }}, protocol: TCP}
            {{- end }}
            - {name: admin, containerPort: 9090, protocol: TCP}
          startupProbe:
            httpGet: {path: /live, port: admin}
            periodSeconds: 2
            failureThreshold: 60
          readinessProbe:
            httpGet: {path: /ready, port: admin}
            periodSeconds: 5
            timeoutSeconds: 3
          livenessProbe:
            httpGet: {path: /live, port: admin}
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          {{- if gt (int $values.preStopSeconds) 0 }}
          # Requests still come for as long as the end of this pod is not known everywhere.
          lifecycle:
            preStop: {sleep: {seconds: {{ $values.preStopSeconds }}}}
          {{- end }}
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          securityContext:
            {{- toYaml $values.securityContext | nindent 12 }}
          volumeMounts:
            {{- include "tideport.volumeMounts" (dict "root" $root "needs" $spec.needs) | nindent 12 }}
            {{- with $values.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
        {{- with $values.extraContainers }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      volumes:
        {{- include "tideport.volumes" (dict "root" $root "needs" $spec.needs) | nindent 8 }}
        {{- with $values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end }}

{{/* Spread over zones and hosts; and where a volume can be mounted on one node only, all that need it go there. */}}
{{- define "tideport.placement" -}}
{{- $selector := include "tideport.selectorLabels" (dict "root" .root "name" .name) }}
{{- $together := and (has "volume" .spec.needs) (include "tideport.onOneNode" .root) }}
{{- if and (ne .values.topologySpread "off") (not $together) }}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: {{ ternary "DoNotSchedule" "ScheduleAnyway" (eq $.values.topologySpread "hard") }}
    labelSelector:
      matchLabels:
        {{- $selector | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- if .values.affinity }}
affinity:
  {{- toYaml .values.affinity | nindent 2 }}
{{- else if $together }}
{{ include "tideport.oneNode" .root }}
{{- end }}
{{- end }}

{{- define "tideport.oneNode" -}}
affinity:
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels: {tideport/network-volume: {{ .Release.Name }}}
{{- end }}
