# The image that `make image` builds, for amd64 and arm64. Make builds the binaries and gathers the certificates in bin/, so
# nothing is compiled here and no other image is needed. With Docker: make image-files, then docker buildx build.
FROM scratch
ARG TARGETARCH
COPY bin/image/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY bin/$TARGETARCH/frontdesk /usr/bin/frontdesk
# A new volume takes the owner and the mode of the folder below it.
COPY --chown=65532:65532 bin/image/volume/ /
USER 65532:65532
VOLUME /data
ENV FRONTDESK_ADDR=:8080 FRONTDESK_DATA=/data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/usr/bin/frontdesk", "health"]
ENTRYPOINT ["/usr/bin/frontdesk"]
CMD ["serve"]
