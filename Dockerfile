# methodlens with the review room and PostgreSQL support.
#   docker build --tag methodlens .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/data" methodlens run papers --out review
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/methodlens \
    && /opt/methodlens/bin/pip install --no-cache-dir '.[web,postgres]'

FROM python:3.12-slim
RUN useradd --create-home --uid 1000 methodlens \
    && install --directory --owner=methodlens --group=methodlens /data
COPY --from=build /opt/methodlens /opt/methodlens
ENV PATH=/opt/methodlens/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 1000
WORKDIR /data
ENTRYPOINT ["methodlens"]
CMD ["--help"]
